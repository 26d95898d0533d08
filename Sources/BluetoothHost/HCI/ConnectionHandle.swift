/// The controller's number for one link: 12 bits, of which 0x0000 to 0x0EFF are in use.
///
/// Core Specification, Vol 4, Part E, 5.4.2.
public struct ConnectionHandle: RawRepresentable, Equatable, Hashable, Sendable {
  /// The number as it is sent.
  public var rawValue: UInt16

  /// Any number, known or not.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Reads a handle that fills two bytes, without any flags in the top four bits.
  public init?(_ reader: inout ByteReader) {
    guard let rawValue = reader.readUInt16() else { return nil }
    self.rawValue = rawValue & 0x0FFF
  }
}
