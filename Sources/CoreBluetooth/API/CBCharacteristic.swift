import BluetoothHost
import Foundation

/// A characteristic: of a peripheral found, or, as a `CBMutableCharacteristic`, of this device.
open class CBCharacteristic: CBAttribute, @unchecked Sendable {
  /// The service that it belongs to; `nil` once that is gone, or before it has one.
  public internal(set) var service: CBService? {
    get { contents.withLock { $0.service } }
    set { contents.withLock { $0.service = newValue } }
  }

  /// What it can be used for.
  public internal(set) var properties: CBCharacteristicProperties {
    get { contents.withLock { $0.properties } }
    set { contents.withLock { $0.properties = newValue } }
  }

  /// The value that was read or notified last; `nil` before the first.
  public internal(set) var value: Data? {
    get { contents.withLock { $0.value } }
    set { contents.withLock { $0.value = newValue } }
  }

  /// Its descriptors, once discovered; `nil` before.
  public internal(set) var descriptors: [CBDescriptor]? {
    get { contents.withLock { $0.descriptors } }
    set { contents.withLock { $0.descriptors = newValue } }
  }

  /// Whether the peripheral tells of it by itself: it has been subscribed to.
  public internal(set) var isNotifying: Bool {
    get { contents.withLock { $0.isNotifying } }
    set { contents.withLock { $0.isNotifying = newValue } }
  }

  /// Always false: nothing is broadcast. Apple has deprecated it.
  public var isBroadcasted: Bool { false }

  /// The UUID, the properties, the value, and whether it is subscribed to.
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

/// A characteristic of this device, to be put into a `CBMutableService`.
open class CBMutableCharacteristic: CBCharacteristic, @unchecked Sendable {
  /// What centrals may do with its value.
  open var permissions: CBAttributePermissions {
    get { mutableContents.withLock { $0.permissions } }
    set { mutableContents.withLock { $0.permissions = newValue } }
  }

  /// The centrals that are told of it.
  public internal(set) var subscribedCentrals: [CBCentral]? {
    get { mutableContents.withLock { $0.subscribedCentrals } }
    set { mutableContents.withLock { $0.subscribedCentrals = newValue } }
  }

  /// What it can be used for. What is changed after its service was added has no effect.
  open override var properties: CBCharacteristicProperties {
    get { super.properties }
    set { super.properties = newValue }
  }

  /// A value that never changes, which centrals read without the delegate being asked; `nil` for
  /// one that the delegate is asked for.
  open override var value: Data? {
    get { super.value }
    set { super.value = newValue }
  }

  /// Its descriptors: a user description or a presentation format, as on Apple's systems. The one by
  /// which centrals subscribe is there without being made.
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
  /// - Parameter value: A value that never changes, at most 512 bytes, for a characteristic that
  ///   can only be read; `nil` for one whose value the delegate is asked for.
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?,
    permissions: CBAttributePermissions
  ) {
    mutableContents = Locked(MutableContents(permissions: permissions))
    super.init(uuid: UUID, properties: properties, value: value)
  }

  /// All that centrals will see of it, and who subscribed to it.
  open override var description: String {
    printed(
      " UUID = \(uuid), Value = \(printedValue(value)), "
        + "Properties = 0x\(String(properties.rawValue, radix: 16, uppercase: true)), "
        + "Permissions = 0x\(String(permissions.rawValue, radix: 16, uppercase: true)), "
        + "Descriptors = \(printedValue(descriptors)), "
        + "SubscribedCentrals = \(printedValue(subscribedCentrals ?? []))")
  }
}
