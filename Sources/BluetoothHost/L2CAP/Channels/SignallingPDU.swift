/// The data of a signalling command about channels: Core Specification, Vol 3, Part A, 4.
public protocol SignallingPDU: Equatable, Sendable {
  /// The command's code.
  static var code: SignallingCode { get }
  /// The length of its data in bytes; the shortest, if that depends on its fields.
  static var length: Int { get }
  /// The length of this command's data in bytes.
  var dataLength: Int { get }
  /// Reads the data; `nil` if bytes are missing.
  init?(_ reader: inout ByteReader)
  /// Writes the data.
  func write(to writer: inout ByteWriter)
}

extension SignallingPDU {
  /// The one length of commands with this code.
  public var dataLength: Int { Self.length }

  /// Reads a command; `nil` if its code or its length is wrong.
  public init?(_ command: borrowing SignallingCommand) {
    guard command.code == Self.code, command.isComplete else { return nil }
    var reader = ByteReader(command.data)
    self.init(&reader)
    guard reader.isEmpty else { return nil }
  }

  /// Writes the whole command, its header first.
  public func write(identifier: UInt8, to writer: inout ByteWriter) {
    SignallingCommand.writeHeader(
      Self.code, identifier: identifier, length: dataLength, to: &writer)
    write(to: &writer)
  }
}

extension ByteReader {
  /// Reads a channel identifier.
  mutating func readChannel() -> L2CAPChannel? {
    guard let rawValue = readUInt16() else { return nil }
    return L2CAPChannel(rawValue: rawValue)
  }
}

/// Requests a channel. Core Specification, Vol 3, Part A, 4.22. The values are not checked: a peer
/// may send any.
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
  public static var length: Int { 10 }

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

/// Answers a request for a channel. Core Specification, Vol 3, Part A, 4.23. The values are not
/// checked: a peer may send any.
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

  /// Creates a response without a channel; all other fields are 0.
  public init(error: LECreditBasedConnectionResult) {
    destinationCID = L2CAPChannel(rawValue: 0)
    mtu = 0
    mps = 0
    initialCredits = 0
    result = error
  }

  /// 10.
  public static var length: Int { 10 }

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

/// The result of a request for channels. Core Specification, Vol 3, Part A, 4.23 and 4.26: both
/// requests have the same numbers. An open set: a peer may send any value.
public struct LECreditBasedConnectionResult: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt16

  /// Any value, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The channel is open.
  public static let success = LECreditBasedConnectionResult(rawValue: 0x0000)
  /// No listener is on this SPSM.
  public static let spsmNotSupported = LECreditBasedConnectionResult(rawValue: 0x0002)
  /// There is no room for another channel. Some of several may be open: 4.26.
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
  /// A source CID is outside of 0x0040…0x007F. Other channels may be open: 4.26.
  public static let invalidSourceCID = LECreditBasedConnectionResult(rawValue: 0x0009)
  /// The requesting device has another channel with a source CID. Others may be open: 4.26.
  public static let sourceCIDAlreadyAllocated = LECreditBasedConnectionResult(rawValue: 0x000A)
  /// The MTU or the MPS is out of range.
  public static let unacceptableParameters = LECreditBasedConnectionResult(rawValue: 0x000B)
  /// A parameter has no meaning: 4.26.
  public static let invalidParameters = LECreditBasedConnectionResult(rawValue: 0x000C)

  /// Whether another response follows, which opens the channels or refuses them: 0x000D to 0x000F
  /// in 4.26.
  var isPending: Bool { rawValue >= 0x000D && rawValue <= 0x000F }

  /// Whether some of several channels may be open although it is not `success`: 4.26.
  var concernsSome: Bool {
    self == .noResourcesAvailable || self == .invalidSourceCID || self == .sourceCIDAlreadyAllocated
  }
}

/// A command with both CIDs of a channel: Disconnection Request or Disconnection Response.
public protocol DisconnectionPDU: SignallingPDU {
  /// The channel's CID at the device that receives the request.
  var destinationCID: L2CAPChannel { get }
  /// The channel's CID at the device that sends the request.
  var sourceCID: L2CAPChannel { get }
  /// Creates a command with these parameters.
  init(destinationCID: L2CAPChannel, sourceCID: L2CAPChannel)
}

extension DisconnectionPDU {
  /// 4.
  public static var length: Int { 4 }

  /// Reads the data; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard let destinationCID = reader.readChannel(), let sourceCID = reader.readChannel() else {
      return nil
    }
    self.init(destinationCID: destinationCID, sourceCID: sourceCID)
  }

  /// Writes the data.
  public func write(to writer: inout ByteWriter) {
    writer.write(destinationCID.rawValue)
    writer.write(sourceCID.rawValue)
  }
}

/// Requests the end of a channel: Core Specification, Vol 3, Part A, 4.6.
public struct DisconnectionRequest: DisconnectionPDU {
  /// 0x06.
  public static var code: SignallingCode { .disconnectionRequest }

  /// The channel's CID at the device that receives the request.
  public var destinationCID: L2CAPChannel
  /// The channel's CID at the device that sends the request.
  public var sourceCID: L2CAPChannel

  /// Creates a request with these parameters.
  public init(destinationCID: L2CAPChannel, sourceCID: L2CAPChannel) {
    self.destinationCID = destinationCID
    self.sourceCID = sourceCID
  }
}

/// Confirms the end of a channel. Both CIDs are those of the request.
/// Core Specification, Vol 3, Part A, 4.7.
public struct DisconnectionResponse: DisconnectionPDU {
  /// 0x07.
  public static var code: SignallingCode { .disconnectionResponse }

  /// The channel's CID at the device that sends the response.
  public var destinationCID: L2CAPChannel
  /// The channel's CID at the device that receives the response.
  public var sourceCID: L2CAPChannel

  /// Creates a response with these parameters.
  public init(destinationCID: L2CAPChannel, sourceCID: L2CAPChannel) {
    self.destinationCID = destinationCID
    self.sourceCID = sourceCID
  }
}

/// Gives the other end of a channel more credits for K-frames.
/// Core Specification, Vol 3, Part A, 4.24. It has no response.
public struct FlowControlCreditIndication: SignallingPDU {
  /// 0x16.
  public static var code: SignallingCode { .flowControlCredit }

  /// The channel's CID at the device that sends the indication.
  public var cid: L2CAPChannel
  /// The number of additional K-frames, 1 to 65,535.
  public var credits: UInt16

  /// Creates an indication with these parameters.
  public init(cid: L2CAPChannel, credits: UInt16) {
    self.cid = cid
    self.credits = credits
  }

  /// 4.
  public static var length: Int { 4 }

  /// Reads the data; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard let cid = reader.readChannel(), let credits = reader.readUInt16() else { return nil }
    self.init(cid: cid, credits: credits)
  }

  /// Writes the data.
  public func write(to writer: inout ByteWriter) {
    writer.write(cid.rawValue)
    writer.write(credits)
  }
}
