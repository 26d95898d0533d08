/// The properties of a characteristic: the permitted uses of its value.
/// Core Specification, Vol 3, Part G, 3.3.1.1. Not an `OptionSet`, since these allocate in Embedded
/// Swift.
public struct GATTProperties: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt8

  /// Any bits, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The value can be broadcast.
  public static let broadcast = GATTProperties(rawValue: 0x01)
  /// It can be read.
  public static let read = GATTProperties(rawValue: 0x02)
  /// It can be written with a command.
  public static let writeWithoutResponse = GATTProperties(rawValue: 0x04)
  /// It can be written with a request.
  public static let write = GATTProperties(rawValue: 0x08)
  /// It can be notified.
  public static let notify = GATTProperties(rawValue: 0x10)
  /// It can be indicated.
  public static let indicate = GATTProperties(rawValue: 0x20)
  /// It can be written with a signed command.
  public static let authenticatedSignedWrites = GATTProperties(rawValue: 0x40)
  /// It has more properties, in the Characteristic Extended Properties descriptor.
  public static let extendedProperties = GATTProperties(rawValue: 0x80)

  /// The properties of both.
  public static func | (left: GATTProperties, right: GATTProperties) -> GATTProperties {
    GATTProperties(rawValue: left.rawValue | right.rawValue)
  }

  /// Whether it has all properties of `other`.
  public func contains(_ other: GATTProperties) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }
}

/// The value of a Client Characteristic Configuration: whether a client has subscribed to a
/// characteristic, and how. Core Specification, Vol 3, Part G, 3.3.3.3.
public struct ClientConfiguration: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt16

  /// Any bits, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// No subscription.
  public static let none = ClientConfiguration(rawValue: 0x0000)
  /// Notifications, which the client does not confirm.
  public static let notification = ClientConfiguration(rawValue: 0x0001)
  /// Indications, which the client confirms.
  public static let indication = ClientConfiguration(rawValue: 0x0002)

  /// Whether it has all bits of `other`.
  public func contains(_ other: ClientConfiguration) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }
}
