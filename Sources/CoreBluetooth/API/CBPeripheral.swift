import BluetoothHost
import Foundation

/// How far the link to a peripheral is.
///
/// Apple's `CBPeripheralState`, with the same numbers.
@nonexhaustive(warn)
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
@nonexhaustive(warn)
public enum CBCharacteristicWriteType: Int, Sendable {
  /// The peripheral answers whether it takes it.
  case withResponse = 0
  /// It does not.
  case withoutResponse = 1
}

/// A peripheral that was found.
///
/// Its manager does not hold on to it: keep it for as long as it is of use. What is asked of it is
/// done in the order of the calls, and each is answered by one call of the delegate, with an error
/// if the link ends before.
open class CBPeripheral: CBPeer, Observed, @unchecked Sendable {
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
  open var services: [CBService]? { contents.withLock { $0.tree.listedServices } }

  /// Whether a value written without response can be sent soon. If it cannot,
  /// `peripheralIsReady(toSendWriteWithoutResponse:)` tells when it can.
  open var canSendWriteWithoutResponse: Bool {
    contents.withLock { $0.state == .connected && $0.unsent < Contents.writeLimit }
  }

  /// The identifier, the name, the MTU and the state.
  open override var description: String {
    let (name, mtu, state) = contents.withLock { contents in
      (contents.name, contents.state == .connected ? contents.mtu.byteCount : 0, contents.state)
    }
    return printed(
      ", identifier = \(identifier), name = \(printedValue(name)), mtu = \(mtu), "
        + "state = \(state)")
  }

  let address: DeviceAddress
  let contents = Locked(Contents())
  let observers = Observers()

  /// Changes `contents`, and then calls who observes the peripheral.
  @discardableResult
  func change<Result>(_ body: (inout Contents) -> Result) -> Result {
    defer { observers.notify() }
    return contents.withLock(body)
  }

  weak let manager: CBCentralManager?

  init(address: DeviceAddress, of manager: CBCentralManager) {
    self.address = address
    self.manager = manager
    super.init(identifier: UUID(address))
  }

  deinit {
    guard let manager, contents.withLock({ $0.cancelLink() }) else { return }
    Misuse.log(
      self,
      "\(identifier) is no longer used, and its connection is cancelled. "
        + "Did you forget to keep a reference to it?")
    let (engine, client, address) = (manager.thread.centralEngine, manager.client, address)
    manager.thread.performCentral { now in engine.cancel(client, address, at: now) }
  }

  /// The strength of the link in dBm that was last read by `readRSSI()`; `nil` before, and without
  /// a link. Apple has deprecated it.
  open var rssi: NSNumber? { contents.withLock { $0.rssi.map { NSNumber(value: Int($0)) } } }

  /// Always false: the Apple Notification Center Service is one of Apple's phones.
  open var ancsAuthorized: Bool { false }

  /// Asks how strongly it is heard.
  open func readRSSI() {
    guard isConnected() else { return }
    askRSSI()
  }

  /// Discovers the services with these UUIDs, or all services if there are none.
  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    guard isConnected() else { return }
    findServices(serviceUUIDs.filter)
  }

  /// Discovers the services with these UUIDs, or all, that `service` includes.
  open func discoverIncludedServices(
    _ includedServiceUUIDs: [CBUUID]?, for service: CBService
  ) {
    guard let remote = valid(service) else { return }
    findIncludedServices(includedServiceUUIDs.filter, service, remote)
  }

  /// Discovers the characteristics with these UUIDs, or all, of `service`.
  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    guard let remote = valid(service) else { return }
    findCharacteristics(characteristicUUIDs.filter, service, remote)
  }

  /// Discovers the descriptors of `characteristic`.
  open func discoverDescriptors(for characteristic: CBCharacteristic) {
    guard let remote = valid(characteristic) else { return }
    findDescriptors(characteristic, remote)
  }

  /// Reads the value of `characteristic`, whole.
  open func readValue(for characteristic: CBCharacteristic) {
    guard let remote = valid(characteristic) else { return }
    read(characteristic, remote)
  }

  /// Reads the value of `descriptor`, whole.
  open func readValue(for descriptor: CBDescriptor) {
    guard let remote = valid(descriptor) else { return }
    read(descriptor, remote)
  }

  /// How many bytes can be written at once: 512 with response; without, the MTU less 3, and 512 at
  /// most, since no value is longer.
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    type == .withResponse
      ? maximumAttributeValueLength : contents.withLock { $0.mtu.maximumToldLength }
  }

  /// Writes the value of `characteristic`: with response, at most 512 bytes; without, at most
  /// `maximumWriteValueLength`, and nothing tells whether it has come.
  open func writeValue(
    _ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType
  ) {
    guard let remote = valid(characteristic) else { return }
    switch type {
    case .withResponse: write(data, characteristic, remote)
    case .withoutResponse: send(data, characteristic, remote)
    }
  }

  /// Writes the value of `descriptor`; not of a client characteristic configuration, which
  /// `setNotifyValue` is for.
  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    guard let remote = valid(descriptor) else { return }
    guard remote.uuid != .clientCharacteristicConfiguration else {
      return Misuse.log(
        self, "cannot write client characteristic configurations: use setNotifyValue")
    }
    write(data, descriptor, remote)
  }

  /// Subscribes to `characteristic`, by notifications if it can, or else by indications; or ends
  /// the subscription.
  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    guard let remote = valid(characteristic) else { return }
    subscribe(enabled, characteristic, remote)
  }

  /// Opens an L2CAP channel, for which the peripheral has published this number: 0x0001 to 0x00FF.
  /// `peripheral(_:didOpen:error:)` has the channel, or says why there is none.
  open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard isConnected() else { return }
    openChannel(PSM)
  }
}
