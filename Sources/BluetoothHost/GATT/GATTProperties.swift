/// What a characteristic says can be done with it.
///
/// Core Specification, Vol 3, Part G, 3.3.1.1. A plain struct, since Embedded Swift's option sets
/// allocate.
public struct GATTProperties: RawRepresentable, Equatable, Sendable {
  /// The number as it is sent.
  public var rawValue: UInt8

  /// Any number, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Its value can be broadcast.
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
  /// It has more properties, in a descriptor.
  public static let extendedProperties = GATTProperties(rawValue: 0x80)

  /// Everything that either can do.
  public static func | (left: GATTProperties, right: GATTProperties) -> GATTProperties {
    GATTProperties(rawValue: left.rawValue | right.rawValue)
  }

  /// Whether it can do all that `other` can.
  public func contains(_ other: GATTProperties) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }
}

/// What one central wants to be told of a characteristic without asking: the value of its Client
/// Characteristic Configuration.
///
/// Core Specification, Vol 3, Part G, 3.3.3.3.
public struct ClientConfiguration: RawRepresentable, Equatable, Sendable {
  /// The number as it is sent.
  public var rawValue: UInt16

  /// Any number, known or not.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Nothing.
  public static let none = ClientConfiguration(rawValue: 0x0000)
  /// Notifications, which nobody confirms.
  public static let notification = ClientConfiguration(rawValue: 0x0001)
  /// Indications, which the central confirms.
  public static let indication = ClientConfiguration(rawValue: 0x0002)

  /// Whether it includes all of `other`.
  public func contains(_ other: ClientConfiguration) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }
}
