/// Ends a link.
///
/// Core Specification, Vol 4, Part E, 7.1.6. Answered by Command Status, then Disconnection
/// Complete.
public struct Disconnect: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.disconnect

  /// The link.
  public var handle: ConnectionHandle
  /// The reason that the peer gets.
  public var reason: HCIErrorCode

  /// Creates a command with these parameters.
  public init(handle: ConnectionHandle, reason: HCIErrorCode) {
    self.handle = handle
    self.reason = reason
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader), let reason = reader.readUInt8()
    else { return nil }
    self.handle = handle
    self.reason = HCIErrorCode(rawValue: reason)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(reason.rawValue)
  }
}

/// Reads the signal strength of a link's peer. A successful answer also shows that the link exists.
///
/// Core Specification, Vol 4, Part E, 7.5.4.
public struct ReadRSSI: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.readRSSI

  /// The link.
  public var handle: ConnectionHandle

  /// Creates a command with these parameters.
  public init(handle: ConnectionHandle) {
    self.handle = handle
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
  }
}
