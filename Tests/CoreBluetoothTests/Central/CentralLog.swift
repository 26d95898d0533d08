import Foundation

@testable import CoreBluetooth

/// A delegate that records each call as a line.
final class CentralLog: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
  @unchecked Sendable
{
  private struct Contents {
    var lines: [String] = []
    var peripherals: [CBPeripheral] = []
    var advertisements: [[String: Any]] = []
    var channels: [CBL2CAPChannel] = []
  }

  private let contents = Locked(Contents())
  /// Called with each line, where the delegate is called.
  var onLine: (@Sendable (String) -> Void)?

  /// The lines since the last call.
  func take() -> [String] {
    contents.withLock { contents in
      defer { contents.lines = [] }
      return contents.lines
    }
  }

  /// The discovered peripherals, each once, in order. It retains them.
  var peripherals: [CBPeripheral] { contents.withLock(\.peripherals) }
  var advertisements: [[String: Any]] { contents.withLock(\.advertisements) }

  /// Removes and returns the opened channels, in order.
  func takeChannels() -> [CBL2CAPChannel] {
    contents.withLock { contents in
      defer { contents.channels = [] }
      return contents.channels
    }
  }

  private func note(_ line: String, _ error: (any Error)? = nil) {
    let line = line + (error.map { ": " + Self.name($0) } ?? "")
    contents.withLock { $0.lines.append(line) }
    onLine?(line)
  }

  private static func name(_ error: any Error) -> String {
    switch error {
    case let error as CBError: "CBError.\(error.code)"
    case let error as CBATTError: "CBATTError 0x" + String(error.code.rawValue, radix: 16)
    default: "\(error)"
    }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    note("state \(central.state)")
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    peripheral.delegate = self
    contents.withLock {
      if !$0.peripherals.contains(where: { $0 === peripheral }) {
        $0.peripherals.append(peripheral)
      }
      $0.advertisements.append(advertisementData)
    }
    note("discovered \(peripheral.name ?? "-") \(RSSI)")
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    note("connected \(peripheral.name ?? "-") \(peripheral.state)")
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    note("failed \(peripheral.name ?? "-") \(peripheral.state)", error)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    note("disconnected \(peripheral.name ?? "-") \(peripheral.state)", error)
  }

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
    note("name \(peripheral.name ?? "-")")
  }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note("modified \(invalidatedServices.map(\.uuid.uuidString))")
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    note("rssi \(RSSI)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    note("services \((peripheral.services ?? []).map(\.uuid.uuidString))", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService,
    error: (any Error)?
  ) {
    let included = (service.includedServices ?? []).map {
      $0.uuid.uuidString + ($0.isPrimary ? "" : " secondary")
    }
    note("included \(included)", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    note("characteristics \((service.characteristics ?? []).map(\.uuid.uuidString))", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    note("descriptors \((characteristic.descriptors ?? []).map(\.uuid.uuidString))", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    let value = characteristic.value.map { String(decoding: $0, as: UTF8.self) } ?? "-"
    note("value \(characteristic.uuid.uuidString.prefix(4)) \(value)", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {
    note("descriptor \(descriptor.uuid.uuidString) \(descriptor.value ?? "-")", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    note("wrote \(characteristic.uuid.uuidString.prefix(4))", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {
    note("wrote descriptor \(descriptor.uuid.uuidString)", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    note(
      "notifying \(characteristic.uuid.uuidString.prefix(4)) \(characteristic.isNotifying)", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {
    if let channel { contents.withLock { $0.channels.append(channel) } }
    note("channel \(channel != nil)", error)
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    note("ready to send")
  }
}
