import Foundation

@testable import CoreBluetooth

/// Publishes a secret, and notifies an update after each write.
final class SecretKeeper: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  let lines = Inbox<String>()
  private let queue = DispatchQueue(label: "keeper")
  // Only the queue uses these.
  private var manager: CBPeripheralManager?

  static let service = CBUUID(string: "5A00")

  init(_ radio: CBRadio) {
    super.init()
    queue.sync { manager = CBPeripheralManager(delegate: self, queue: queue, radio: radio) }
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: "5A01"),
        properties: [.read, .write, .indicateEncryptionRequired], value: nil,
        permissions: [.readEncryptionRequired, .writeEncryptionRequired])
    ]
    peripheral.add(service)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
  }

  func peripheralManagerDidStartAdvertising(
    _ peripheral: CBPeripheralManager, error: (any Error)?
  ) {
    lines.put("published")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
  ) {
    request.value = Data("secret".utf8)
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
  ) {
    peripheral.respond(to: requests[0], withResult: .success)
    guard let characteristic = requests[0].characteristic as? CBMutableCharacteristic else {
      return
    }
    _ = peripheral.updateValue(Data("update".utf8), for: characteristic, onSubscribedCentrals: nil)
  }
}

/// Reads the secret, subscribes to it, and writes it, one after the other.
final class SecretVisitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
  @unchecked Sendable
{
  let lines = Inbox<String>()
  private let queue = DispatchQueue(label: "visitor")
  // Only the queue uses these.
  private var manager: CBCentralManager?
  private var peer: CBPeripheral?

  init(_ radio: CBRadio) {
    super.init()
    queue.sync { manager = CBCentralManager(delegate: self, queue: queue, radio: radio) }
  }

  var identifier: UUID? { queue.sync { peer?.identifier } }

  func visit() {
    queue.sync {
      if let peer { connect(peer) } else { look() }
    }
  }

  func leave() {
    queue.sync {
      if let peer { manager?.cancelPeripheralConnection(peer) }
    }
  }

  private func look() {
    guard let manager, manager.state == .poweredOn, peer == nil else { return }
    manager.scanForPeripherals(withServices: [SecretKeeper.service])
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { look() }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    central.stopScan()
    peer = peripheral
    peripheral.delegate = self
    connect(peripheral)
  }

  private func connect(_ peripheral: CBPeripheral) {
    // Reconnects after a loss, but not to a peripheral that has lost its bond.
    manager?.connect(
      peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: NSNumber(value: true)])
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    lines.put("connected")
    peripheral.discoverServices([SecretKeeper.service])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else { return }
    peripheral.discoverCharacteristics(nil, for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    if let secret = service.characteristics?.first { peripheral.readValue(for: secret) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    let text = String(decoding: characteristic.value ?? Data(), as: UTF8.self)
    lines.put(error.map(\.localizedDescription) ?? "read \(text)")
    if text != "update" { peripheral.setNotifyValue(true, for: characteristic) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    lines.put(error.map(\.localizedDescription) ?? "wrote")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    lines.put(
      error.map(\.localizedDescription) ?? "notifying \(characteristic.isNotifying)")
    peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    lines.put("disconnected" + (error.map { ", \($0.localizedDescription)" } ?? ""))
  }
}
