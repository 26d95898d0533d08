/// Ends a link.
///
/// Core Specification, Vol 4, Part E, 7.1.6. Answered by Command Status, then Disconnection Complete.
public struct Disconnect: HCICommand, Equatable {
  public static let opcode = HCIOpcode.disconnect

  /// The link.
  public var handle: ConnectionHandle
  /// What the other side is told.
  public var reason: HCIErrorCode

  public init(handle: ConnectionHandle, reason: HCIErrorCode) {
    self.handle = handle
    self.reason = reason
  }

  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader),
      let reason = reader.readUInt8()
    else { return nil }
    self.handle = handle
    self.reason = HCIErrorCode(rawValue: reason)
  }

  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(reason.rawValue)
  }
}

/// Says that there is no key for a link, so it stays unencrypted.
///
/// Core Specification, Vol 4, Part E, 7.8.26.
public struct LELongTermKeyRequestNegativeReply: HCICommand, Equatable {
  public static let opcode = HCIOpcode.leLongTermKeyRequestNegativeReply

  /// The link.
  public var handle: ConnectionHandle

  public init(handle: ConnectionHandle) {
    self.handle = handle
  }

  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader)
    else { return nil }
    self.handle = handle
  }

  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
  }
}
