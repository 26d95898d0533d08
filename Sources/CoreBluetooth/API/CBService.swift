import BluetoothHost
import Foundation

/// A service of a discovered peripheral or, as a `CBMutableService`, of this device.
open class CBService: CBAttribute, @unchecked Sendable {
  /// Whether it is a primary service. A secondary service exists only to be included.
  public let isPrimary: Bool

  /// The peripheral that has it; `nil` for a service of this device, or after the peripheral was
  /// released.
  public var peripheral: CBPeripheral? { contents.withLock { $0.peripheral } }

  /// The services that it includes; `nil` until discovered.
  public internal(set) var includedServices: [CBService]? {
    get { contents.withLock { $0.includedServices } }
    set { contents.withLock { $0.includedServices = newValue } }
  }

  /// Its characteristics; `nil` until discovered.
  public internal(set) var characteristics: [CBCharacteristic]? {
    get { contents.withLock { $0.characteristics } }
    set { contents.withLock { $0.characteristics = newValue } }
  }

  /// Whether it is primary, and its UUID.
  open override var description: String {
    printed(", isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)")
  }

  struct Contents {
    weak var peripheral: CBPeripheral?
    var includedServices: [CBService]?
    var characteristics: [CBCharacteristic]?
  }

  private let contents: Locked<Contents>
  /// Where it is on the peripheral; `nil` for a service of this device.
  let remote: FoundService?

  init(uuid: CBUUID, isPrimary: Bool) {
    self.isPrimary = isPrimary
    contents = Locked(Contents())
    remote = nil
    super.init(uuid: uuid)
  }

  init(_ remote: FoundService, of peripheral: CBPeripheral) {
    isPrimary = remote.isPrimary
    contents = Locked(Contents(peripheral: peripheral))
    self.remote = remote
    super.init(uuid: CBUUID(remote.uuid))
  }
}

/// A service of this device, for a `CBPeripheralManager`.
open class CBMutableService: CBService, @unchecked Sendable {
  /// A service without characteristics.
  public init(type UUID: CBUUID, primary isPrimary: Bool) {
    super.init(uuid: UUID, isPrimary: isPrimary)
  }

  /// The services that it includes. Each has to be added before it.
  open override var includedServices: [CBService]? {
    get { super.includedServices }
    set { super.includedServices = newValue }
  }

  /// Its characteristics. A change after the service was added has no effect.
  open override var characteristics: [CBCharacteristic]? {
    get { super.characteristics }
    set { super.characteristics = newValue }
  }

  /// What centrals see of it.
  open override var description: String {
    printed(
      " Primary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid), "
        + "Included Services = \(printedValue(includedServices)), "
        + "Characteristics = \(printedValue(characteristics))")
  }
}
