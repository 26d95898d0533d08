/// Requests a channel.
///
/// Core Specification, Vol 3, Part A, 4.22. The values are not checked: a peer may send any.
public struct LECreditBasedConnectionRequest: SignallingPDU {
  /// 0x14.
  public static var code: SignallingCode { .leCreditBasedConnectionRequest }

  /// The protocol or service of the channel, 0x0001 to 0x00FF.
  public var spsm: UInt16
  /// The channel's CID at the requesting device.
  public var sourceCID: L2CAPChannel
  /// The longest SDU that the requesting device accepts, in bytes.
  public var mtu: UInt16
  /// The longest K-frame payload that the requesting device accepts, in bytes.
  public var mps: UInt16
  /// How many K-frames the requesting device accepts initially.
  public var initialCredits: UInt16

  /// Creates a request with these parameters.
  public init(
    spsm: UInt16, sourceCID: L2CAPChannel, mtu: UInt16, mps: UInt16, initialCredits: UInt16
  ) {
    self.spsm = spsm
    self.sourceCID = sourceCID
    self.mtu = mtu
    self.mps = mps
    self.initialCredits = initialCredits
  }

  /// 10.
  public var length: Int { 10 }

  /// Reads the data; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard let spsm = reader.readUInt16(), let sourceCID = reader.readChannel(),
      let mtu = reader.readUInt16(), let mps = reader.readUInt16(),
      let initialCredits = reader.readUInt16()
    else { return nil }
    self.init(spsm: spsm, sourceCID: sourceCID, mtu: mtu, mps: mps, initialCredits: initialCredits)
  }

  /// Writes the data.
  public func write(to writer: inout ByteWriter) {
    writer.write(spsm)
    writer.write(sourceCID.rawValue)
    writer.write(mtu)
    writer.write(mps)
    writer.write(initialCredits)
  }
}

/// Answers a request for a channel.
///
/// Core Specification, Vol 3, Part A, 4.23. The values are not checked: a peer may send any.
public struct LECreditBasedConnectionResponse: SignallingPDU {
  /// 0x15.
  public static var code: SignallingCode { .leCreditBasedConnectionResponse }

  /// The channel's CID at the responding device.
  public var destinationCID: L2CAPChannel
  /// The longest SDU that the responding device accepts, in bytes.
  public var mtu: UInt16
  /// The longest K-frame payload that the responding device accepts, in bytes.
  public var mps: UInt16
  /// How many K-frames the responding device accepts initially.
  public var initialCredits: UInt16
  /// Whether the channel is open. If not, the other fields have no meaning.
  public var result: LECreditBasedConnectionResult

  /// Creates a response that opens the channel.
  public init(destinationCID: L2CAPChannel, mtu: UInt16, mps: UInt16, initialCredits: UInt16) {
    self.destinationCID = destinationCID
    self.mtu = mtu
    self.mps = mps
    self.initialCredits = initialCredits
    result = .success
  }

  /// Creates a refusal; all other fields are 0.
  public init(refusal: LECreditBasedConnectionResult) {
    destinationCID = L2CAPChannel(rawValue: 0)
    mtu = 0
    mps = 0
    initialCredits = 0
    result = refusal
  }

  /// 10.
  public var length: Int { 10 }

  /// Reads the data; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard let destinationCID = reader.readChannel(), let mtu = reader.readUInt16(),
      let mps = reader.readUInt16(), let initialCredits = reader.readUInt16(),
      let result = reader.readUInt16()
    else { return nil }
    self.destinationCID = destinationCID
    self.mtu = mtu
    self.mps = mps
    self.initialCredits = initialCredits
    self.result = LECreditBasedConnectionResult(rawValue: result)
  }

  /// Writes the data.
  public func write(to writer: inout ByteWriter) {
    writer.write(destinationCID.rawValue)
    writer.write(mtu)
    writer.write(mps)
    writer.write(initialCredits)
    writer.write(result.rawValue)
  }
}

/// The result of a request for a channel.
///
/// Core Specification, Vol 3, Part A, 4.23. An open set: a peer may send any value.
public struct LECreditBasedConnectionResult: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt16

  /// Any value, known or not.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The channel is open.
  public static let success = LECreditBasedConnectionResult(rawValue: 0x0000)
  /// No listener is on this SPSM.
  public static let spsmNotSupported = LECreditBasedConnectionResult(rawValue: 0x0002)
  /// There is no room for another channel.
  public static let noResourcesAvailable = LECreditBasedConnectionResult(rawValue: 0x0004)
  /// The devices have no key, or one without the required protection against man-in-the-middle
  /// attacks.
  public static let insufficientAuthentication = LECreditBasedConnectionResult(rawValue: 0x0005)
  /// The peer may not use this SPSM.
  public static let insufficientAuthorization = LECreditBasedConnectionResult(rawValue: 0x0006)
  /// The key is too short.
  public static let encryptionKeySizeTooShort = LECreditBasedConnectionResult(rawValue: 0x0007)
  /// The devices have a key, but the link is not encrypted.
  public static let insufficientEncryption = LECreditBasedConnectionResult(rawValue: 0x0008)
  /// The source CID is outside of 0x0040…0x007F.
  public static let invalidSourceCID = LECreditBasedConnectionResult(rawValue: 0x0009)
  /// The requesting device has another channel with this source CID.
  public static let sourceCIDAlreadyAllocated = LECreditBasedConnectionResult(rawValue: 0x000A)
  /// The MTU or the MPS is out of range.
  public static let unacceptableParameters = LECreditBasedConnectionResult(rawValue: 0x000B)
}
