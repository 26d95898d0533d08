import BluetoothHost
import Foundation

/// The state of the link to a peripheral.
///
/// Apple's `CBPeripheralState`, with the same numbers.
@nonexhaustive(warn)
public enum CBPeripheralState: Int, Sendable {
  /// There is no link.
  case disconnected = 0
  /// The link is being made.
  case connecting = 1
  /// There is a link.
  case connected = 2
  /// The link is being ended.
  case disconnecting = 3
}

/// How a value is written.
///
/// Apple's `CBCharacteristicWriteType`, with the same numbers.
@nonexhaustive(warn)
public enum CBCharacteristicWriteType: Int, Sendable {
  /// The peripheral responds whether it accepts the value.
  case withResponse = 0
  /// The peripheral does not respond.
  case withoutResponse = 1
}

/// A discovered peripheral.
///
/// Its manager does not retain it: keep a reference while you use it. Calls are carried out in
/// order, except `readRSSI()`. One delegate call reports the result of each call, except a write
/// without response; it has an error if the link ends first.
open class CBPeripheral: CBPeer, Observed, @unchecked Sendable {
  /// The object that receives the peripheral's events.
  open weak var delegate: (any CBPeripheralDelegate)? {
    get { contents.withLock { $0.delegate } }
    set {
      UnreachedMethods.check(newValue, for: "CBPeripheralDelegate") {
        $0 is any CBPeripheralDelegate.Type
      }
      contents.withLock { $0.delegate = newValue }
    }
  }

  /// Its advertised name or, once read over a link, its GAP Device Name; `nil` while unknown.
  open var name: String? { contents.withLock { $0.name } }

  /// The state of the link to it.
  open var state: CBPeripheralState { contents.withLock { $0.state } }

  /// Its services; `nil` until discovered, and without a link.
  open var services: [CBService]? { contents.withLock { $0.tree.listedServices } }

  /// Whether there is room to write a value without response. If there is not,
  /// `peripheralIsReady(toSendWriteWithoutResponse:)` is called when there is room again.
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
  let contents: Locked<Contents>
  let observers = Observers()

  /// Changes `contents`, and then calls the peripheral's observers.
  @discardableResult func change<Result>(_ body: (inout Contents) -> Result) -> Result {
    defer { observers.notify() }
    return contents.withLock(body)
  }

  weak let manager: CBCentralManager?

  init(address: DeviceAddress, name: KnownName? = nil, of manager: CBCentralManager) {
    self.address = address
    contents = Locked(Contents(name))
    self.manager = manager
    super.init(identifier: UUID(address))
  }

  deinit {
    guard let manager, contents.withLock({ $0.cancelLink() }) else { return }
    Misuse.log(
      self,
      "\(identifier) is no longer used, and its connection is cancelled. "
        + "Did you forget to keep a reference to it?")
    let (handle, address) = (manager.handle, address)
    manager.radio.perform { $0.central.cancel(handle, address) }
  }

  /// The RSSI in dBm that `readRSSI()` last read; `nil` before, and without a link. Apple has
  /// deprecated it.
  open var rssi: NSNumber? { contents.withLock { $0.rssi.map { NSNumber(value: Int($0)) } } }

  /// Always false: only Apple's phones have the Apple Notification Center Service.
  open var ancsAuthorized: Bool { false }

  /// Reads the RSSI of the link.
  open func readRSSI() {
    guard isConnected() else { return }
    perform(.readRSSI) { peripheral, outcome in
      var rssi = NSNumber(value: 127)
      var error = outcome.error
      if case .success(.rssi(let known)) = outcome {
        if let known { rssi = NSNumber(value: Int(known)) } else { error = CBError(.unknown) }
        peripheral.change { $0.rssi = known }
      }
      peripheral.delegate?.peripheral(peripheral, didReadRSSI: rssi, error: error)
    }
  }

  // MARK: Discovery

  /// Discovers the services with these UUIDs. If there are none, discovers all services but those
  /// that a system uses itself, as on Apple's systems: GAP, GATT, HID and ANCS.
  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    guard isConnected() else { return }
    let uuids = serviceUUIDs.filter
    perform(.discoverServices(uuids)) { peripheral, outcome in
      if case .success(.services(let all)) = outcome {
        let found = all.filter { $0.isWanted(among: uuids) }
        peripheral.change { $0.tree.merge(services: found, of: uuids, on: peripheral) }
      }
      peripheral.delegate?.peripheral(peripheral, didDiscoverServices: outcome.error)
    }
  }

  /// Discovers the services with these UUIDs, or all, that `service` includes.
  open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    guard let remote = valid(service) else { return }
    let uuids = includedServiceUUIDs.filter
    perform(.discoverIncludedServices(remote.range)) { peripheral, outcome in
      let error = peripheral.merge(outcome) { tree, output in
        guard case .includedServices(let all) = output else { return true }
        let found = all.filter { $0.isWanted(among: uuids) }
        return tree.merge(included: found, of: uuids, in: service, on: peripheral)
      }
      peripheral.delegate?.peripheral(
        peripheral, didDiscoverIncludedServicesFor: service, error: error)
    }
  }

  /// Discovers the characteristics with these UUIDs, or all, of `service`.
  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    guard let remote = valid(service) else { return }
    let uuids = characteristicUUIDs.filter
    perform(.discoverCharacteristics(remote.range)) { peripheral, outcome in
      let error = peripheral.merge(outcome) { tree, output in
        guard case .characteristics(let all) = output else { return true }
        let found = all.filter { uuids?.contains($0.uuid) ?? true }
        return tree.merge(characteristics: found, of: uuids, in: service)
      }
      peripheral.delegate?.peripheral(
        peripheral, didDiscoverCharacteristicsFor: service, error: error)
    }
  }

  /// Discovers the descriptors of `characteristic`.
  open func discoverDescriptors(for characteristic: CBCharacteristic) {
    guard let remote = valid(characteristic) else { return }
    perform(.discoverDescriptors(remote.descriptorRange ?? .nowhere)) { peripheral, outcome in
      let error = peripheral.merge(outcome) { tree, output in
        guard case .descriptors(let found) = output else { return true }
        return tree.merge(descriptors: found, in: characteristic)
      }
      peripheral.delegate?.peripheral(
        peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
    }
  }

  // MARK: Values

  /// Reads the value of `characteristic`, whole.
  open func readValue(for characteristic: CBCharacteristic) {
    guard let remote = valid(characteristic) else { return }
    perform(.read(remote.value)) { peripheral, outcome in
      if case .success(.value(let bytes)) = outcome { characteristic.value = Data(bytes) }
      peripheral.delegate?.peripheral(
        peripheral, didUpdateValueFor: characteristic, error: outcome.error)
    }
  }

  /// Reads the value of `descriptor`, whole.
  open func readValue(for descriptor: CBDescriptor) {
    guard let remote = valid(descriptor) else { return }
    perform(.read(remote.handle)) { peripheral, outcome in
      if case .success(.value(let bytes)) = outcome { descriptor.value = remote.publicValue(bytes) }
      peripheral.delegate?.peripheral(
        peripheral, didUpdateValueFor: descriptor, error: outcome.error)
    }
  }

  /// The longest value that can be written: 512 bytes with response; without, the MTU less 3, and
  /// at most 512.
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    type == .withResponse
      ? maximumAttributeValueLength : contents.withLock { $0.mtu.maximumUpdateLength }
  }

  /// Writes the value of `characteristic`: with response, at most 512 bytes; without, at most
  /// `maximumWriteValueLength`, and its arrival is not confirmed.
  open func writeValue(
    _ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType
  ) {
    guard let remote = valid(characteristic) else { return }
    guard type == .withResponse else { return send(data, characteristic, remote) }
    perform(.write(remote.value, [UInt8](data))) { peripheral, outcome in
      peripheral.delegate?.peripheral(
        peripheral, didWriteValueFor: characteristic, error: outcome.error)
    }
  }

  /// Writes the value of `descriptor`. For a client characteristic configuration, use
  /// `setNotifyValue`.
  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    guard let remote = valid(descriptor) else { return }
    guard remote.uuid != .clientCharacteristicConfiguration else {
      return Misuse.log(
        self, "cannot write client characteristic configurations: use setNotifyValue")
    }
    perform(.write(remote.handle, [UInt8](data))) { peripheral, outcome in
      peripheral.delegate?.peripheral(
        peripheral, didWriteValueFor: descriptor, error: outcome.error)
    }
  }

  /// Subscribes to `characteristic`, with notifications if it has them, otherwise with indications;
  /// or ends the subscription.
  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    guard let remote = valid(characteristic) else { return }
    let configuration: ClientConfiguration? =
      if !enabled { ClientConfiguration.none } else if remote.properties.contains(.notify) {
        .notification
      } else if remote.properties.contains(.indicate) { .indication } else { nil }
    ask { peripheral, outcome in
      if outcome.error == nil { characteristic.isNotifying = enabled }
      peripheral.delegate?.peripheral(
        peripheral, didUpdateNotificationStateFor: characteristic, error: outcome.error)
    } _: { engine, handle, address, completion in
      engine.configure(remote, configuration, for: handle, at: address, completion)
    }
  }

  /// Opens the L2CAP channel that the peripheral has published with this PSM, 0x0001 to 0x00FF.
  /// `peripheral(_:didOpen:error:)` receives the channel or the error.
  open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard isConnected(), let manager else { return }
    let keeper = ChannelKeeper(.served(by: manager.radio))
    ask { peripheral, outcome in
      var error = outcome.error
      if case .success(.channel(let end?)) = outcome { error = end.publicError }
      let channel = error == nil ? CBL2CAPChannel(peer: peripheral, psm: PSM, keeper) : nil
      peripheral.delegate?.peripheral(peripheral, didOpen: channel, error: error)
    } _: { engine, handle, address, completion in
      engine.openChannel(PSM, keeper, for: handle, at: address, completion)
    }
  }
}
