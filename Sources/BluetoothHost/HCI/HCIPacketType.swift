/// The byte that H4 puts before each packet: what kind of packet follows.
///
/// Core Specification, Vol 4, Part A, 2. The Linux HCI user channel uses the same byte.
public struct HCIPacketType: RawRepresentable, Equatable, Sendable {
  /// The number as it is sent.
  public var rawValue: UInt8

  /// Any number, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// From the host to the controller.
  public static let command = HCIPacketType(rawValue: 0x01)
  /// Both ways.
  public static let acl = HCIPacketType(rawValue: 0x02)
  /// Both ways, audio over BR/EDR. Not used here; known so that a stream of packets can skip it.
  public static let sco = HCIPacketType(rawValue: 0x03)
  /// From the controller to the host.
  public static let event = HCIPacketType(rawValue: 0x04)
  /// Both ways, LE audio. Not used here; known so that a stream of packets can skip it.
  public static let iso = HCIPacketType(rawValue: 0x05)
}
