import BluetoothHost
import Foundation

/// How far the link to a peripheral is.
///
/// Apple's `CBPeripheralState`, with the same numbers.
public enum CBPeripheralState: Int, Sendable {
  /// There is no link.
  case disconnected = 0
  /// One is being made.
  case connecting = 1
  /// There is one.
  case connected = 2
  /// It is being ended.
  case disconnecting = 3
}

/// How a value is written.
///
/// Apple's `CBCharacteristicWriteType`, with the same numbers.
public enum CBCharacteristicWriteType: Int, Sendable {
  /// The peripheral answers whether it takes it.
  case withResponse = 0
  /// It does not.
  case withoutResponse = 1
}

/// A peripheral that was found.
///
/// Its manager does not hold on to it: keep it for as long as it is of use. What is asked of it is
/// done in the order of the calls, and each is answered by one call of the delegate.
open class CBPeripheral: CBPeer, @unchecked Sendable {
  /// Who is told.
  open weak var delegate: (any CBPeripheralDelegate)? {
    get { contents.withLock { $0.delegate } }
    set { contents.withLock { $0.delegate = newValue } }
  }

  /// Its name: as it advertises it or, once connected, as it tells it; `nil` while unknown.
  open var name: String? { contents.withLock { $0.name } }

  /// How far the link to it is.
  open var state: CBPeripheralState { contents.withLock { $0.state } }

  /// Its services, once discovered; `nil` before, and without a link.
  open var services: [CBService]? { contents.withLock { $0.services } }

  /// Whether a value written without response can be sent soon. If it cannot,
  /// `peripheralIsReady(toSendWriteWithoutResponse:)` tells when it can.
  open var canSendWriteWithoutResponse: Bool { false }

  struct Contents {
    weak var delegate: (any CBPeripheralDelegate)?
    var name: String?
    var state = CBPeripheralState.disconnected
    var services: [CBService]?
  }

  let address: DeviceAddress
  let contents = Locked(Contents())
  weak let manager: CBCentralManager?

  init(address: DeviceAddress, of manager: CBCentralManager) {
    self.address = address
    self.manager = manager
    super.init(identifier: UUID(address))
  }

  /// Asks how strongly it is heard.
  open func readRSSI() {
    guard isConnected() else { return }
  }

  /// Discovers the services with these UUIDs, or all services if there are none.
  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    guard isConnected() else { return }
  }

  /// Discovers the services with these UUIDs, or all, that `service` includes.
  open func discoverIncludedServices(
    _ includedServiceUUIDs: [CBUUID]?, for service: CBService
  ) {
    guard isConnected() else { return }
  }

  /// Discovers the characteristics with these UUIDs, or all, of `service`.
  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    guard isConnected() else { return }
  }

  /// Discovers the descriptors of `characteristic`.
  open func discoverDescriptors(for characteristic: CBCharacteristic) {
    guard isConnected() else { return }
  }

  /// Reads the value of `characteristic`, whole.
  open func readValue(for characteristic: CBCharacteristic) {
    guard isConnected() else { return }
  }

  /// Reads the value of `descriptor`, whole.
  open func readValue(for descriptor: CBDescriptor) {
    guard isConnected() else { return }
  }

  /// How many bytes can be written at once: 512 with response; the MTU less 3 without.
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    type == .withResponse ? 512 : 20
  }

  /// Writes the value of `characteristic`.
  open func writeValue(
    _ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType
  ) {
    guard isConnected() else { return }
  }

  /// Writes the value of `descriptor`; not of a client characteristic configuration, which
  /// `setNotifyValue` is for.
  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    guard isConnected() else { return }
  }

  /// Subscribes to `characteristic`, by notifications if it can, or else by indications; or ends
  /// the subscription.
  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    guard isConnected() else { return }
  }

  /// Whether anything can be asked for; if not, that is logged.
  func isConnected() -> Bool {
    if state == .connected { return true }
    Misuse.log(self, "can only accept commands while in the connected state")
    return false
  }
}
