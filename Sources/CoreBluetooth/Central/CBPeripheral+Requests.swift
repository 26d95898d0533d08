import BluetoothHost
import Foundation

extension CBPeripheral {
  /// The result of an operation.
  typealias Outcome = Result<OperationOutput, any Error>

  /// Whether the peripheral is connected. Logs the misuse if it is not.
  func isConnected() -> Bool {
    if state == .connected { return true }
    Misuse.log(self, "can only accept commands while in the connected state")
    return false
  }

  /// Where `attribute` is; `nil`, which is logged, if it is no longer valid.
  func valid<Attribute: DiscoveredAttribute>(_ attribute: Attribute) -> Attribute.Remote? {
    guard isConnected() else { return nil }
    if attribute.isHeld(in: contents.withLock(\.tree)) { return attribute.remote }
    Misuse.log(self, "does not have \(attribute.uuid), or no longer: discover it again")
    return nil
  }

  /// Carries out `operation` after the earlier ones, and then calls `body` on the manager's queue
  /// with the result.
  func perform(
    _ operation: PeerOperation, _ body: @escaping @Sendable (CBPeripheral, Outcome) -> Void
  ) {
    ask(body) { engine, handle, address, completion in
      engine.perform(operation, for: handle, at: address, completion)
    }
  }

  /// Calls `question` on the radio's thread, and `body` on the manager's queue with the result.
  func ask(
    _ body: @escaping @Sendable (CBPeripheral, Outcome) -> Void,
    _ question:
      @escaping @Sendable (
        CentralEngine, CentralHandle, DeviceAddress, @escaping PeerRequest.Completion
      ) -> Void
  ) {
    guard let manager else { return }
    let (handle, address) = (manager.handle, address)
    let completion: @Sendable (Outcome) -> Void = { [weak self] outcome in
      handle.callManager(with: self) { _, peripheral in
        body(peripheral, outcome.mapError { ($0 as? OperationError)?.publicError ?? $0 })
      }
    }
    let isTaken = manager.radio.perform { question($0.central, handle, address, completion) }
    if !isTaken { completion(.failure(CBError(.notConnected))) }
  }

  /// Writes without response.
  func send(_ data: Data, _ characteristic: CBCharacteristic, _ remote: FoundCharacteristic) {
    guard remote.properties.contains(.writeWithoutResponse) else {
      return Misuse.log(
        "Characteristic \(characteristic.uuid) does not specify the \"Write Without Response\" "
          + "property - ignoring response-less write")
    }
    let limit = maximumWriteValueLength(for: .withoutResponse)
    guard data.count <= limit else {
      return Misuse.log(
        self, "cannot write \(data.count) bytes without response: at most \(limit) can be sent")
    }
    guard change({ $0.beginWrite() }) else {
      return Misuse.log(
        self,
        "has \(Contents.writeCapacity) writes without response to send, and drops another: "
          + "check canSendWriteWithoutResponse")
    }
    perform(.writeWithoutResponse(remote.value, [UInt8](data))) { peripheral, _ in
      guard peripheral.change({ $0.endWrite() }) else { return }
      peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
    }
  }

  /// Calls `body` to put discovery results into the tree, and returns the error for the delegate.
  /// `body` returns `false` if the service or characteristic has been removed meanwhile.
  func merge(_ outcome: Outcome, _ body: (inout AttributeTree, OperationOutput) -> Bool) -> (
    any Error
  )? {
    switch outcome {
    case .success(let output):
      contents.withLock { body(&$0.tree, output) } ? nil : CBATTError(.invalidHandle)
    case .failure(let error): error
    }
  }

  /// Handles a report of the link, on the manager's queue.
  func handle(_ report: PeerLink.Report, at time: CFAbsoluteTime, _ manager: CBCentralManager) {
    switch report {
    case .opened(let mtu):
      guard change({ $0.linkOpened(mtu) }) else { return }
      manager.delegate?.centralManager(manager, didConnect: self)
    case .mtuChanged(let mtu): contents.withLock { $0.mtu = mtu }
    case .named(let name):
      guard change({ $0.readName(name) }) else { return }
      delegate?.peripheralDidUpdateName(self)
    case .received(let value, let handle):
      guard let characteristic = contents.withLock({ $0.tree.characteristic(handle) }) else {
        return
      }
      characteristic.value = Data(value)
      delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
    case .servicesChanged(let range):
      let invalidated = change { $0.tree.invalidate(range) }
      delegate?.peripheral(self, didModifyServices: invalidated)
    case .ended(let end, let isReconnecting):
      let (wasOpen, wasCancelled) = change { $0.linkEnded(isReconnecting: isReconnecting) }
      let error = wasCancelled ? nil : end.map { CBError($0) }
      if !wasOpen, let error {
        manager.delegate?.centralManager(manager, didFailToConnect: self, error: error)
      } else {
        manager.delegate?.centralManager(
          manager, didDisconnectPeripheral: self, timestamp: time, isReconnecting: isReconnecting,
          error: error)
      }
    }
  }
}

extension CBPeripheral.Contents {
  /// Counts another value to send without response; `false` if too many wait.
  mutating func beginWrite() -> Bool {
    guard unsent < Self.writeCapacity else { return false }
    unsent += 1
    if unsent >= Self.writeLimit { mustReportReady = true }
    return true
  }

  /// One value has been sent. Returns whether the delegate must be called.
  mutating func endWrite() -> Bool {
    unsent = max(0, unsent - 1)
    guard mustReportReady, unsent <= Self.writeLimit / 2 else { return false }
    mustReportReady = false
    return true
  }
}

extension RemoteDescriptor {
  /// The value as Apple's framework gives it, by the kind of the descriptor.
  func publicValue(_ bytes: [UInt8]) -> Any {
    switch uuid {
    case .characteristicUserDescription: return String(decoding: bytes, as: UTF8.self)
    case .characteristicExtendedProperties, .clientCharacteristicConfiguration,
      .serverCharacteristicConfiguration:
      var reader = ByteReader(bytes.span)
      guard let number = reader.readUInt16() else { return Data(bytes) }
      return NSNumber(value: number)
    default: return Data(bytes)
    }
  }
}

extension FoundService {
  /// Whether a discovery of these services, or of all, concerns this one. Without a list it does
  /// not concern those that a system uses itself, as on Apple's systems: GAP, GATT, HID and ANCS.
  /// Apple, Accessory Design Guidelines, 40.12.
  func isWanted(among uuids: [BluetoothUUID]?) -> Bool {
    uuids?.contains(uuid) ?? !Self.ofSystems.contains(uuid)
  }

  private static let ofSystems: Set<BluetoothUUID> = [
    .genericAccessService, .genericAttributeService, BluetoothUUID(0x1812),
    BluetoothUUID(high: 0x7905_F431_B5CE_4E99, low: 0xA40F_4B1E_122D_00D0),
  ]
}

extension Result {
  /// The error; `nil` for a success.
  var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
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
