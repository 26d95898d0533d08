import Foundation

/// What services, characteristics and descriptors have in common: a UUID.
open class CBAttribute: NSObject, @unchecked Sendable {
  /// The attribute's UUID.
  public let uuid: CBUUID

  init(uuid: CBUUID) {
    self.uuid = uuid
    super.init()
  }
}

/// The operations that a characteristic supports.
///
/// Apple's `CBCharacteristicProperties`; the first eight are those of the Core Specification,
/// Vol 3, Part G, 3.3.1.1.
public struct CBCharacteristicProperties: OptionSet, Hashable, Sendable {
  /// The bits.
  public var rawValue: UInt

  /// Any bits, known or not.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Its value can be broadcast.
  public static let broadcast = CBCharacteristicProperties(rawValue: 0x01)
  /// Its value can be read.
  public static let read = CBCharacteristicProperties(rawValue: 0x02)
  /// Its value can be written without a response.
  public static let writeWithoutResponse = CBCharacteristicProperties(rawValue: 0x04)
  /// Its value can be written with a response.
  public static let write = CBCharacteristicProperties(rawValue: 0x08)
  /// Its value can be notified.
  public static let notify = CBCharacteristicProperties(rawValue: 0x10)
  /// Its value can be indicated: the central confirms each.
  public static let indicate = CBCharacteristicProperties(rawValue: 0x20)
  /// Its value can be written with a signature.
  public static let authenticatedSignedWrites = CBCharacteristicProperties(rawValue: 0x40)
  /// A descriptor has further properties.
  public static let extendedProperties = CBCharacteristicProperties(rawValue: 0x80)
  /// Subscribing to notifications requires an encrypted link.
  public static let notifyEncryptionRequired = CBCharacteristicProperties(rawValue: 0x100)
  /// Subscribing to indications requires an encrypted link.
  public static let indicateEncryptionRequired = CBCharacteristicProperties(rawValue: 0x200)
}

/// What centrals may do with the value of a characteristic of this device.
///
/// Apple's `CBAttributePermissions`.
public struct CBAttributePermissions: OptionSet, Hashable, Sendable {
  /// The bits.
  public var rawValue: UInt

  /// Any bits, known or not.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Centrals can read the value.
  public static let readable = CBAttributePermissions(rawValue: 0x01)
  /// Centrals can write the value.
  public static let writeable = CBAttributePermissions(rawValue: 0x02)
  /// Reading requires an encrypted link.
  public static let readEncryptionRequired = CBAttributePermissions(rawValue: 0x04)
  /// Writing requires an encrypted link.
  public static let writeEncryptionRequired = CBAttributePermissions(rawValue: 0x08)
}
