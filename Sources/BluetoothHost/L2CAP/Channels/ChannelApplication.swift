/// The program that uses a host's channels.
///
/// A *channel* is a number from 0 to the host's number of channels less one. It is valid from
/// `opened`, or from `CreditBasedChannels.open`, until `closed`; then it may be reused. A *link*
/// is a connection index. Every call must return at once.
///
/// The core stores no SDU. To send one, the program gives its length, and writes each part when
/// there is room for it. To receive one, it takes each segment, and says how much more it can
/// take; credits limit the peer to that. After a change outside of these calls, the program calls
/// `CreditBasedChannels.resume`.
public protocol ChannelApplication: ~Copyable {
  /// The listener on an SPSM for the peer on `link`; `nil` if there is none.
  func listener(on spsm: SPSM, at link: Int) -> ChannelListener?

  /// A channel has opened. It carries SDUs of at most `peerMTU` bytes to the peer.
  mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int)

  /// A channel has closed, and its number is free. This call follows exactly once after `opened`,
  /// or after `CreditBasedChannels.open` if the channel never opened.
  mutating func closed(_ channel: Int, with end: ChannelEnd)

  // MARK: Receiving

  /// How many more bytes of SDUs the program can take on a channel.
  ///
  /// The peer gets a credit for each whole MPS of it. With less than one MPS it gets none, and
  /// sends nothing.
  func room(of channel: Int) -> Int

  /// Takes the next segment of an SDU.
  mutating func received(_ segment: SDUSegment, on channel: Int)

  // MARK: Sending

  /// The length in bytes of the next SDU to send, at most the peer's MTU; `nil` if there is none.
  ///
  /// The program keeps the SDU until `sent` or `closed`.
  func nextSDULength(on channel: Int) -> Int?

  /// Writes the bytes of the SDU from `offset` on: exactly as many as `writer` has room for.
  mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter)

  /// The whole SDU was passed to the controller.
  mutating func sent(on channel: Int)
}

/// A part of an SDU: the content of one K-frame.
public struct SDUSegment: ~Escapable {
  /// The number of bytes before it in the SDU.
  public let offset: Int
  /// The length of the whole SDU in bytes, at most this device's MTU.
  public let sduLength: Int
  /// The bytes.
  public let bytes: Span<UInt8>

  @_lifetime(copy bytes)
  init(offset: Int, sduLength: Int, bytes: Span<UInt8>) {
    self.offset = offset
    self.sduLength = sduLength
    self.bytes = bytes
  }

  /// Whether it completes the SDU.
  public var isLast: Bool { offset &+ bytes.count == sduLength }
}
