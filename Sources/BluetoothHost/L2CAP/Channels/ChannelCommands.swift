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

/// Requests the end of a channel.
///
/// Core Specification, Vol 3, Part A, 4.6.
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
///
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
///
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
