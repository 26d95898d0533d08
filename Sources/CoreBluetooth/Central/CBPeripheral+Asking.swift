import BluetoothHost
import Foundation

extension CBPeripheral {
  /// What operations gave, or why they gave nothing.
  typealias Outcome = Result<[OperationOutput], any Error>

  /// Whether anything can be asked for; if not, that is logged.
  func isConnected() -> Bool {
    if state == .connected { return true }
    Misuse.log(self, "can only accept commands while in the connected state")
    return false
  }

  /// Where `service` is, if something can be asked of it; if not, that is logged.
  func valid(_ service: CBService) -> FoundService? {
    valid(service, service.remote) { $0.holds(service) }
  }

  /// Where `characteristic` is, if something can be asked of it; if not, that is logged.
  func valid(_ characteristic: CBCharacteristic) -> FoundCharacteristic? {
    valid(characteristic, characteristic.remote) { $0.holds(characteristic) }
  }

  /// Where `descriptor` is, if something can be asked of it; if not, that is logged.
  func valid(_ descriptor: CBDescriptor) -> RemoteDescriptor? {
    valid(descriptor, descriptor.remote) { $0.holds(descriptor) }
  }

  private func valid<Remote>(
    _ attribute: CBAttribute, _ remote: Remote?, _ isHeld: (AttributeTree) -> Bool
  ) -> Remote? {
    guard isConnected() else { return nil }
    if let remote, contents.withLock({ isHeld($0.tree) }) { return remote }
    Misuse.log(self, "does not have \(attribute.uuid), or not any more: discover it again")
    return nil
  }

  /// Has `operations` carried out, in order; `body` is called on the manager's queue, if this is
  /// still connected then, or with the error by which it is not.
  func perform(
    _ operations: [CentralOperation],
    _ body: @escaping @Sendable (CBPeripheral, Outcome) -> Void
  ) {
    ask(body) { engine, client, address, completion in
      engine.perform(operations, client, address, completion)
    }
  }

  /// Asks something of the engine, on its thread; `body` is called on the manager's queue.
  func ask(
    _ body: @escaping @Sendable (CBPeripheral, Outcome) -> Void,
    _ question:
      @escaping @Sendable (
        CentralEngine, CentralClient, DeviceAddress, @escaping PeripheralLink.Completion
      ) -> Void
  ) {
    guard let manager else { return }
    let (engine, client, address) = (manager.thread.centralEngine, manager.client, address)
    let completion: @Sendable (Outcome) -> Void = { [weak self] outcome in
      client.tell(of: self) { _, peripheral in body(peripheral, outcome) }
    }
    let isTaken = manager.thread.performCentral { _ in
      question(engine, client, address, completion)
    }
    if !isTaken { completion(.failure(CBError(.notConnected))) }
  }

  /// Asks how strongly it is heard.
  func askRSSI() {
    ask { peripheral, outcome in
      var rssi = NSNumber(value: 127)
      var error = outcome.error
      if case .success(let outputs) = outcome, case .rssi(let known)? = outputs.first {
        if let known { rssi = NSNumber(value: Int(known)) } else { error = CBError(.unknown) }
        peripheral.change { $0.rssi = known }
      }
      peripheral.delegate?.peripheral(peripheral, didReadRSSI: rssi, error: error)
    } _: { engine, client, address, completion in
      engine.readRSSI(client, address, completion)
    }
  }
}

extension Result {
  /// What went wrong; `nil` if nothing did.
  var error: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension [CBUUID]? {
  /// What to look for: `nil` for everything. No UUID at all means everything, too.
  var filter: [BluetoothUUID]? {
    guard let self, !self.isEmpty else { return nil }
    var uuids: [BluetoothUUID] = []
    for uuid in self.map(\.uuid) where !uuids.contains(uuid) { uuids.append(uuid) }
    return uuids
  }
}
