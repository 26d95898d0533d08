/// Closes a channel.
///
/// Core Specification, Vol 3, Part A, 4.6.
public struct DisconnectionRequest: SignallingPDU {
  /// 0x06.
  public static var code: SignallingCode { .disconnectionRequest }

  /// The channel's number at the device that receives the request.
  public var destinationCID: L2CAPChannel
  /// The channel's number at the device that sends the request.
  public var sourceCID: L2CAPChannel

  /// A request with these parameters.
  public init(destinationCID: L2CAPChannel, sourceCID: L2CAPChannel) {
    self.destinationCID = destinationCID
    self.sourceCID = sourceCID
  }

  /// 4.
  public var length: Int { 4 }

  /// Reads the data; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard let destinationCID = reader.readChannel(), let sourceCID = reader.readChannel()
    else { return nil }
    self.init(destinationCID: destinationCID, sourceCID: sourceCID)
  }

  /// Writes the data.
  public func write(to writer: inout ByteWriter) {
    writer.write(destinationCID.rawValue)
    writer.write(sourceCID.rawValue)
  }
}

/// The channel is closed. Both numbers are as in the request.
///
/// Core Specification, Vol 3, Part A, 4.7.
public struct DisconnectionResponse: SignallingPDU {
  /// 0x07.
  public static var code: SignallingCode { .disconnectionResponse }

  /// The channel's number at the device that sends the response.
  public var destinationCID: L2CAPChannel
  /// The channel's number at the device that receives the response.
  public var sourceCID: L2CAPChannel

  /// A response with these parameters.
  public init(destinationCID: L2CAPChannel, sourceCID: L2CAPChannel) {
    self.destinationCID = destinationCID
    self.sourceCID = sourceCID
  }

  /// 4.
  public var length: Int { 4 }

  /// Reads the data; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard let destinationCID = reader.readChannel(), let sourceCID = reader.readChannel()
    else { return nil }
    self.init(destinationCID: destinationCID, sourceCID: sourceCID)
  }

  /// Writes the data.
  public func write(to writer: inout ByteWriter) {
    writer.write(destinationCID.rawValue)
    writer.write(sourceCID.rawValue)
  }
}

/// Lets the other end of a channel send more K-frames.
///
/// Core Specification, Vol 3, Part A, 4.24. It has no response.
public struct FlowControlCreditIndication: SignallingPDU {
  /// 0x16.
  public static var code: SignallingCode { .flowControlCredit }

  /// The channel's number at the device that sends the indication.
  public var cid: L2CAPChannel
  /// How many more K-frames it takes, 1 to 65,535.
  public var credits: UInt16

  /// An indication with these parameters.
  public init(cid: L2CAPChannel, credits: UInt16) {
    self.cid = cid
    self.credits = credits
  }

  /// 4.
  public var length: Int { 4 }

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

/// A command is not understood, or names a channel that does not exist.
///
/// Core Specification, Vol 3, Part A, 4.1.
public enum CommandReject: SignallingPDU {
  /// Reason 0x0000: the command is unknown or malformed.
  case commandNotUnderstood
  /// Reason 0x0001: the command is longer than the signalling MTU, which is this many bytes.
  case signallingMTUExceeded(UInt16)
  /// Reason 0x0002: no channel has these numbers, at the device that sends the reject and at the
  /// device that receives it.
  case invalidCID(L2CAPChannel, L2CAPChannel)

  /// 0x01.
  public static var code: SignallingCode { .commandReject }

  /// 2, 4 or 6.
  public var length: Int {
    switch self {
    case .commandNotUnderstood: 2
    case .signallingMTUExceeded: 4
    case .invalidCID: 6
    }
  }

  /// Reads the data; `nil` if bytes are missing or the reason is unknown.
  public init?(_ reader: inout ByteReader) {
    switch reader.readUInt16() {
    case 0x0000:
      self = .commandNotUnderstood
    case 0x0001:
      guard let mtu = reader.readUInt16() else { return nil }
      self = .signallingMTUExceeded(mtu)
    case 0x0002:
      guard let own = reader.readChannel(), let other = reader.readChannel() else { return nil }
      self = .invalidCID(own, other)
    default:
      return nil
    }
  }

  /// Writes the data.
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .commandNotUnderstood:
      writer.write(UInt16(0x0000))
    case .signallingMTUExceeded(let mtu):
      writer.write(UInt16(0x0001))
      writer.write(mtu)
    case .invalidCID(let own, let other):
      writer.write(UInt16(0x0002))
      writer.write(own.rawValue)
      writer.write(other.rawValue)
    }
  }
}
