import BluetoothHost
import Foundation

extension CBPeripheral {
  /// The results of operations, or the first error.
  typealias Outcome = Result<[OperationOutput], any Error>

  /// Whether the peripheral is connected. Logs the misuse if it is not.
  func isConnected() -> Bool {
    if state == .connected { return true }
    Misuse.log(self, "can only accept commands while in the connected state")
    return false
  }

  /// Where `service` is; `nil`, which is logged, if it is no longer valid.
  func valid(_ service: CBService) -> FoundService? {
    valid(service, service.remote) { $0.contains(service) }
  }

  /// Where `characteristic` is; `nil`, which is logged, if it is no longer valid.
  func valid(_ characteristic: CBCharacteristic) -> FoundCharacteristic? {
    valid(characteristic, characteristic.remote) { $0.contains(characteristic) }
  }

  /// Where `descriptor` is; `nil`, which is logged, if it is no longer valid.
  func valid(_ descriptor: CBDescriptor) -> RemoteDescriptor? {
    valid(descriptor, descriptor.remote) { $0.contains(descriptor) }
  }

  private func valid<Remote>(
    _ attribute: CBAttribute, _ remote: Remote?, _ isHeld: (AttributeTree) -> Bool
  ) -> Remote? {
    guard isConnected() else { return nil }
    if let remote, contents.withLock({ isHeld($0.tree) }) { return remote }
    Misuse.log(self, "does not have \(attribute.uuid), or no longer: discover it again")
    return nil
  }

  /// Carries out `operations` in order, and then calls `body` on the manager's queue: with the
  /// results, or with the first error.
  func perform(
    _ operations: [CentralOperation],
    _ body: @escaping @Sendable (CBPeripheral, Outcome) -> Void
  ) {
    ask(body) { engine, client, address, completion in
      engine.perform(operations, client, address, completion)
    }
  }

  /// Calls `question` on the engine's thread, and `body` on the manager's queue with the result.
  func ask(
    _ body: @escaping @Sendable (CBPeripheral, Outcome) -> Void,
    _ question:
      @escaping @Sendable (
        CentralEngine, CentralClient, DeviceAddress, @escaping PeripheralLink.Completion
      ) -> Void
  ) {
    guard let manager else { return }
    let (engine, client, address) = (manager.thread.program.central, manager.client, address)
    let completion: @Sendable (Outcome) -> Void = { [weak self] outcome in
      client.callManager(with: self) { _, peripheral in body(peripheral, outcome) }
    }
    let isTaken = manager.thread.perform { _, _ in
      question(engine, client, address, completion)
    }
    if !isTaken { completion(.failure(CBError(.notConnected))) }
  }

  /// Reads the RSSI of the link.
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
  /// The error; `nil` for a success.
  var error: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension [CBUUID]? {
  /// The UUIDs to discover, each once; `nil` for all, also for an empty array.
  var filter: [BluetoothUUID]? {
    guard let self, !self.isEmpty else { return nil }
    var uuids: [BluetoothUUID] = []
    for uuid in self.map(\.uuid) where !uuids.contains(uuid) { uuids.append(uuid) }
    return uuids
  }
}
