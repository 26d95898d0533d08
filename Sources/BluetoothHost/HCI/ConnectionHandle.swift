/// The controller's handle of a link: 12 bits, in the range 0x0000 to 0x0EFF.
///
/// Core Specification, Vol 4, Part E, 5.4.2.
public struct ConnectionHandle: RawRepresentable, Equatable, Hashable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt16

  /// Any value, known or not.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Reads a handle from two bytes, without any flags in the top four bits.
  public init?(_ reader: inout ByteReader) {
    guard let rawValue = reader.readUInt16() else { return nil }
    self.rawValue = rawValue & 0x0FFF
  }
}
