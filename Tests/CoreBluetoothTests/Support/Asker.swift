import Foundation

@testable import CoreBluetooth

/// Asks one question in its delegate's callbacks, and then reads the answer. It records each event as
/// a line.
final class Asker: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  let lines = Inbox<String>()
  private let question: String
  private let service: CBUUID
  private let peripheral = Locked<CBPeripheral?>(nil)

  init(_ question: String, of service: CBUUID) {
    self.question = question
    self.service = service
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    lines.put("state \(central.state)")
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    lines.put("discovered \(peripheral.name ?? "-")")
    central.stopScan()
    self.peripheral.withLock { $0 = peripheral }
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    lines.put("connected")
    peripheral.discoverServices([service])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] {
      peripheral.discoverCharacteristics(nil, for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    guard let all = service.characteristics, all.count == 2 else { return }
    peripheral.setNotifyValue(true, for: all[1])
    peripheral.writeValue(Data(question.utf8), for: all[0], type: .withResponse)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    lines.put("written \(error.map { "\($0)" } ?? "")")
    guard let answer = characteristic.service?.characteristics?[1] else { return }
    peripheral.readValue(for: answer)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    lines.put(String(data: characteristic.value ?? Data(), encoding: .utf8) ?? "?")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    lines.put("disconnected \((error as? CBError).map { "\($0.code)" } ?? "-")")
  }
}
