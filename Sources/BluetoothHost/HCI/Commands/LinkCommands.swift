/// Ends a link.
///
/// Core Specification, Vol 4, Part E, 7.1.6. Answered by Command Status, then Disconnection Complete.
public struct Disconnect: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.disconnect

  /// The link.
  public var handle: ConnectionHandle
  /// What the other side is told.
  public var reason: HCIErrorCode

  /// A command with these parameters.
  public init(handle: ConnectionHandle, reason: HCIErrorCode) {
    self.handle = handle
    self.reason = reason
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader),
      let reason = reader.readUInt8()
    else { return nil }
    self.handle = handle
    self.reason = HCIErrorCode(rawValue: reason)
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(reason.rawValue)
  }
}

/// Says that there is no key for a link, so it stays unencrypted.
///
/// Core Specification, Vol 4, Part E, 7.8.26.
public struct LELongTermKeyRequestNegativeReply: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leLongTermKeyRequestNegativeReply

  /// The link.
  public var handle: ConnectionHandle

  /// A command with these parameters.
  public init(handle: ConnectionHandle) {
    self.handle = handle
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader)
    else { return nil }
    self.handle = handle
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
  }
}

/// Asks how strongly a link's peer is heard: an answer at all means that there is a link.
///
/// Core Specification, Vol 4, Part E, 7.5.4.
public struct ReadRSSI: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.readRSSI

  /// The link.
  public var handle: ConnectionHandle

  /// A command with these parameters.
  public init(handle: ConnectionHandle) {
    self.handle = handle
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader) else { return nil }
    self.handle = handle
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
  }
}
