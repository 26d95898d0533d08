import BluetoothHost
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
  public init(rawValue: UInt) { self.rawValue = rawValue }

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
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Centrals can read the value.
  public static let readable = CBAttributePermissions(rawValue: 0x01)
  /// Centrals can write the value.
  public static let writeable = CBAttributePermissions(rawValue: 0x02)
  /// Reading requires an encrypted link.
  public static let readEncryptionRequired = CBAttributePermissions(rawValue: 0x04)
  /// Writing requires an encrypted link.
  public static let writeEncryptionRequired = CBAttributePermissions(rawValue: 0x08)
}

/// A descriptor of a discovered peripheral or, as a `CBMutableDescriptor`, of this device.
open class CBDescriptor: CBAttribute, @unchecked Sendable {
  /// The characteristic that it belongs to; `nil` before it has one, or after that one was
  /// released.
  public internal(set) var characteristic: CBCharacteristic? {
    get { contents.withLock { $0.characteristic } }
    set { contents.withLock { $0.characteristic = newValue } }
  }

  /// The value that was last read; `nil` before.
  ///
  /// A `String` for a user description; an `NSNumber` for extended properties and for client and
  /// server configurations; `Data` for all others.
  public internal(set) var value: Any? {
    get { contents.withLock { $0.value } }
    set { contents.withLock { $0.value = newValue } }
  }

  /// The UUID, and the value.
  open override var description: String {
    printed(", UUID = \(uuid), value = \(printedValue(value))")
  }

  struct Contents: @unchecked Sendable {
    weak var characteristic: CBCharacteristic?
    var value: Any?
  }

  private let contents: Locked<Contents>
  /// Where it is on the peripheral; `nil` for a descriptor of this device.
  let remote: RemoteDescriptor?

  init(uuid: CBUUID, value: Any?) {
    contents = Locked(Contents(value: value))
    remote = nil
    super.init(uuid: uuid)
  }

  init(_ remote: RemoteDescriptor, of characteristic: CBCharacteristic) {
    contents = Locked(Contents(characteristic: characteristic))
    self.remote = remote
    super.init(uuid: CBUUID(remote.uuid))
  }
}

/// A descriptor of this device, for a `CBMutableCharacteristic`.
open class CBMutableDescriptor: CBDescriptor, @unchecked Sendable {
  /// A descriptor with a constant value: a `String` for a user description (2901), `Data` for a
  /// presentation format (2904). Others cannot be added, as on Apple's systems.
  public init(type UUID: CBUUID, value: Any?) { super.init(uuid: UUID, value: value) }
}
