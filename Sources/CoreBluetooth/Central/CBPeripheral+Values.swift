import BluetoothHost
import Foundation

extension CBPeripheral {
  func read(_ characteristic: CBCharacteristic, _ remote: FoundCharacteristic) {
    perform([.read(remote.value)]) { peripheral, outcome in
      if let bytes = outcome.value { characteristic.value = Data(bytes) }
      peripheral.delegate?.peripheral(
        peripheral, didUpdateValueFor: characteristic, error: outcome.error)
    }
  }

  func read(_ descriptor: CBDescriptor, _ remote: RemoteDescriptor) {
    perform([.read(remote.handle)]) { peripheral, outcome in
      if let bytes = outcome.value { descriptor.value = remote.publicValue(bytes) }
      peripheral.delegate?.peripheral(
        peripheral, didUpdateValueFor: descriptor, error: outcome.error)
    }
  }

  func write(
    _ data: Data, _ characteristic: CBCharacteristic, _ remote: FoundCharacteristic
  ) {
    perform([.write(remote.value, [UInt8](data))]) { peripheral, outcome in
      peripheral.delegate?.peripheral(
        peripheral, didWriteValueFor: characteristic, error: outcome.error)
    }
  }

  func write(_ data: Data, _ descriptor: CBDescriptor, _ remote: RemoteDescriptor) {
    perform([.write(remote.handle, [UInt8](data))]) { peripheral, outcome in
      peripheral.delegate?.peripheral(
        peripheral, didWriteValueFor: descriptor, error: outcome.error)
    }
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
    perform([.writeWithoutResponse(remote.value, [UInt8](data))]) { peripheral, _ in
      guard peripheral.change({ $0.endWrite() }) else { return }
      peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
    }
  }

  func subscribe(
    _ isEnabled: Bool, _ characteristic: CBCharacteristic, _ remote: FoundCharacteristic
  ) {
    let configuration: ClientConfiguration? =
      if !isEnabled { ClientConfiguration.none } else if remote.properties.contains(.notify) {
        .notification
      } else if remote.properties.contains(.indicate) { .indication } else { nil }
    ask { peripheral, outcome in
      if outcome.error == nil { characteristic.isNotifying = isEnabled }
      peripheral.delegate?.peripheral(
        peripheral, didUpdateNotificationStateFor: characteristic, error: outcome.error)
    } _: { engine, client, address, completion in
      engine.configure(remote, configuration, client, address, completion)
    }
  }

  /// The peripheral has notified or indicated a value.
  func received(_ value: [UInt8], at handle: AttributeHandle) {
    guard let characteristic = contents.withLock({ $0.tree.characteristic(handle) }) else {
      return
    }
    characteristic.value = Data(value)
    delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
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

extension CBPeripheral.Outcome {
  /// The value that was read.
  fileprivate var value: [UInt8]? {
    if case .success(let outputs) = self, case .value(let bytes)? = outputs.first {
      bytes
    } else {
      nil
    }
  }
}

extension RemoteDescriptor {
  /// The value as Apple's framework gives it, by the kind of the descriptor.
  fileprivate func publicValue(_ bytes: [UInt8]) -> Any {
    switch uuid {
    case .characteristicUserDescription:
      return String(decoding: bytes, as: UTF8.self)
    case .characteristicExtendedProperties, .clientCharacteristicConfiguration,
      .serverCharacteristicConfiguration:
      var reader = ByteReader(bytes.span)
      guard let number = reader.readUInt16() else { return Data(bytes) }
      return NSNumber(value: number)
    default:
      return Data(bytes)
    }
  }
}
