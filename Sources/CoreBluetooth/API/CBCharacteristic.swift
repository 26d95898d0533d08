import BluetoothHost
import Foundation

/// A characteristic of a discovered peripheral or, as a `CBMutableCharacteristic`, of this device.
open class CBCharacteristic: CBAttribute, @unchecked Sendable {
  /// The service that it belongs to; `nil` before it has one, or after that service was released.
  public internal(set) var service: CBService? {
    get { contents.withLock { $0.service } }
    set { contents.withLock { $0.service = newValue } }
  }

  /// The operations that it supports.
  public internal(set) var properties: CBCharacteristicProperties {
    get { contents.withLock { $0.properties } }
    set { contents.withLock { $0.properties = newValue } }
  }

  /// The value that was last read or notified; `nil` before the first.
  public internal(set) var value: Data? {
    get { contents.withLock { $0.value } }
    set { contents.withLock { $0.value = newValue } }
  }

  /// Its descriptors; `nil` until discovered.
  public internal(set) var descriptors: [CBDescriptor]? {
    get { contents.withLock { $0.descriptors } }
    set { contents.withLock { $0.descriptors = newValue } }
  }

  /// Whether it is subscribed to: the peripheral notifies or indicates its value.
  public internal(set) var isNotifying: Bool {
    get { contents.withLock { $0.isNotifying } }
    set { contents.withLock { $0.isNotifying = newValue } }
  }

  /// Always false: nothing is broadcast. Apple has deprecated it.
  public var isBroadcasted: Bool { false }

  /// The UUID, the properties, the value and whether it is subscribed to.
  open override var description: String {
    let bits = String(properties.rawValue, radix: 16, uppercase: true)
    return printed(
      ", UUID = \(uuid), properties = 0x\(bits), value = \(printedValue(value)), "
        + "notifying = \(isNotifying ? "YES" : "NO")")
  }

  struct Contents {
    weak var service: CBService?
    var properties: CBCharacteristicProperties
    var value: Data?
    var descriptors: [CBDescriptor]?
    var isNotifying = false
  }

  private let contents: Locked<Contents>
  /// Where it is on the peripheral; `nil` for a characteristic of this device.
  let remote: FoundCharacteristic?

  init(uuid: CBUUID, properties: CBCharacteristicProperties, value: Data?) {
    contents = Locked(Contents(properties: properties, value: value))
    remote = nil
    super.init(uuid: uuid)
  }

  init(_ remote: FoundCharacteristic, of service: CBService) {
    let properties = CBCharacteristicProperties(rawValue: UInt(remote.properties.rawValue))
    contents = Locked(Contents(service: service, properties: properties))
    self.remote = remote
    super.init(uuid: CBUUID(remote.uuid))
  }
}

/// A characteristic of this device, for a `CBMutableService`.
open class CBMutableCharacteristic: CBCharacteristic, @unchecked Sendable {
  /// What centrals may do with its value.
  open var permissions: CBAttributePermissions {
    get { mutableContents.withLock { $0.permissions } }
    set { mutableContents.withLock { $0.permissions = newValue } }
  }

  /// The centrals that have subscribed to it.
  public internal(set) var subscribedCentrals: [CBCentral]? {
    get { mutableContents.withLock { $0.subscribedCentrals } }
    set { mutableContents.withLock { $0.subscribedCentrals = newValue } }
  }

  /// The operations that it supports. A change after its service was added has no effect.
  open override var properties: CBCharacteristicProperties {
    get { super.properties }
    set { super.properties = newValue }
  }

  /// A constant value, which centrals read without a call of the delegate; `nil` for a value that
  /// the delegate supplies.
  open override var value: Data? {
    get { super.value }
    set { super.value = newValue }
  }

  /// Its descriptors: a user description or a presentation format, as on Apple's systems. The
  /// manager adds the Client Characteristic Configuration, by which centrals subscribe.
  open override var descriptors: [CBDescriptor]? {
    get { super.descriptors }
    set { super.descriptors = newValue }
  }

  private struct MutableContents {
    var permissions: CBAttributePermissions
    var subscribedCentrals: [CBCentral]?
  }

  private let mutableContents: Locked<MutableContents>

  /// A characteristic.
  ///
  /// - Parameter UUID: The type of the characteristic.
  /// - Parameter properties: What a central may do with the value.
  /// - Parameter permissions: What a central may do, and whether its link must be encrypted.
  /// - Parameter value: A constant value of at most 512 bytes, for a characteristic that can only
  ///   be read; `nil` for a value that the delegate supplies.
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?,
    permissions: CBAttributePermissions
  ) {
    mutableContents = Locked(MutableContents(permissions: permissions))
    super.init(uuid: UUID, properties: properties, value: value)
  }

  /// What centrals see of it, and the subscribed centrals.
  open override var description: String {
    printed(
      " UUID = \(uuid), Value = \(printedValue(value)), "
        + "Properties = 0x\(String(properties.rawValue, radix: 16, uppercase: true)), "
        + "Permissions = 0x\(String(permissions.rawValue, radix: 16, uppercase: true)), "
        + "Descriptors = \(printedValue(descriptors)), "
        + "SubscribedCentrals = \(printedValue(subscribedCentrals ?? []))")
  }
}
