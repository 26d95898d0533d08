/// The packet type, which H4 puts before each packet.
///
/// Core Specification, Vol 4, Part A, 2. The Linux HCI user channel uses the same byte.
public struct HCIPacketType: RawRepresentable, Equatable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// From host to controller.
  public static let command = HCIPacketType(rawValue: 0x01)
  /// In both directions.
  public static let acl = HCIPacketType(rawValue: 0x02)
  /// Audio over BR/EDR. Not used here, but a stream decoder can skip it.
  public static let sco = HCIPacketType(rawValue: 0x03)
  /// From controller to host.
  public static let event = HCIPacketType(rawValue: 0x04)
  /// LE audio. Not used here, but a stream decoder can skip it.
  public static let iso = HCIPacketType(rawValue: 0x05)
}
