/// Why a channel ended, or did not open.
public enum ChannelEnd: Error, Equatable, Sendable {
  /// The program closed it.
  case closed
  /// The peer closed it: Core Specification, Vol 3, Part A, 4.6.
  case closedByPeer
  /// The link ended.
  case linkLost(HCIErrorCode)

  // The channel did not open.

  /// The peer refused it: Vol 3, Part A, 4.23.
  case refused(LECreditBasedConnectionResult)
  /// The peer does not support the request: Vol 3, Part A, 4.1.
  case rejected
  /// The peer did not answer in time: Vol 3, Part A, 6.2.1.
  case timedOut
  /// The peer's response has a CID, an MTU or an MPS out of range, or the CID of another channel:
  /// Vol 3, Part A, 4.23.
  case invalidResponse

  // The peer violated the protocol.

  /// A K-frame arrived without a credit: Vol 3, Part A, 10.1.
  case frameWithoutCredit
  /// The peer gave more than 65,535 credits: Vol 3, Part A, 10.1.
  case tooManyCredits
  /// A K-frame was longer than this device's MPS: Vol 3, Part A, 3.4.3.
  case frameTooLong
  /// The first K-frame of an SDU had no room for the SDU's length: Vol 3, Part A, 3.4.2.
  case frameTooShort
  /// An SDU was longer than this device's MTU: Vol 3, Part A, 3.4.3.
  case sduTooLong
  /// The K-frames of an SDU held more bytes than its length: Vol 3, Part A, 3.4.3.
  case sduOverrun

  // The program made an error.

  /// The SDU was longer than the peer's MTU, or the program wrote fewer bytes than its length.
  case invalidSDU
}
