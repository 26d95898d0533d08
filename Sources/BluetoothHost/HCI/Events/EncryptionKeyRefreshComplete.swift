/// The key of an encrypted link has changed, or could not be changed.
///
/// Core Specification, Vol 4, Part E, 7.7.39.
public struct EncryptionKeyRefreshComplete: HCIEvent, Equatable {
  /// The event's code.
  public static let code = HCIEventCode.encryptionKeyRefreshComplete

  /// Whether it succeeded.
  public var status: HCIErrorCode
  /// The link.
  public var handle: ConnectionHandle

  /// Creates an event with these parameters.
  public init(status: HCIErrorCode, handle: ConnectionHandle) {
    self.status = status
    self.handle = handle
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let status = reader.readUInt8(), let handle = ConnectionHandle(&reader) else {
      return nil
    }
    self.init(status: HCIErrorCode(rawValue: status), handle: handle)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(status.rawValue)
    writer.write(handle.rawValue)
  }
}
