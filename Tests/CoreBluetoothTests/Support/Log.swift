import Foundation

@testable import CoreBluetooth

/// A delegate that records its calls as lines.
protocol LineLog {
  /// The lines since the last call.
  func take() -> [String]
}

final class Log: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
  CBPeripheralManagerDelegate, LineLog, @unchecked Sendable
{
  private struct Contents {
    var peripherals: [CBPeripheral] = []
    var advertisements: [[String: Any]] = []
    var channels: [CBL2CAPChannel] = []
    var requests: [CBATTRequest] = []
    var centrals: [CBCentral] = []
  }

  private let contents = Locked(Contents())
  let lines = Inbox<String>()
  /// Called with each line, where the delegate is called.
  var onLine: (@Sendable (String) -> Void)?
  // A peripheral manager's responses.
  var onRead: ((CBPeripheralManager, CBATTRequest) -> Void)?
  var onWrite: ((CBPeripheralManager, [CBATTRequest]) -> Void)?
  var onReady: ((CBPeripheralManager) -> Void)?

  func take() -> [String] { lines.takeAll() }

  /// Responds to each read with `value`.
  func answerReads(_ value: @escaping (CBATTRequest) -> Data) {
    onRead = { manager, request in
      request.value = value(request)
      manager.respond(to: request, withResult: .success)
    }
  }

  /// Responds to each write with `result`.
  func answerWrites(_ result: CBATTError.Code = .success) {
    onWrite = { manager, requests in manager.respond(to: requests[0], withResult: result) }
  }

  /// The discovered peripherals, each once, in order. It retains them.
  var peripherals: [CBPeripheral] { contents.withLock(\.peripherals) }
  var advertisements: [[String: Any]] { contents.withLock(\.advertisements) }
  /// The requests of centrals, and the centrals that subscribed, in order.
  var requests: [CBATTRequest] { contents.withLock(\.requests) }
  var centrals: [CBCentral] { contents.withLock(\.centrals) }

  /// Removes and returns the opened channels, in order.
  func takeChannels() -> [CBL2CAPChannel] {
    contents.withLock { contents in
      defer { contents.channels = [] }
      return contents.channels
    }
  }

  private func note(_ line: String, _ error: (any Error)? = nil) {
    let line = line + (error.map { ": " + Self.name($0) } ?? "")
    lines.put(line)
    onLine?(line)
  }

  private static func name(_ error: any Error) -> String {
    switch error {
    case let error as CBError: "CBError.\(error.code)"
    case let error as CBATTError: "CBATTError 0x" + String(error.code.rawValue, radix: 16)
    default: "\(error)"
    }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { note("state \(central.state)") }

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

  // MARK: A peripheral manager

  private func name(_ central: CBCentral) -> String {
    // The last byte of the address that the identifier ends in.
    String(central.identifier.uuidString.suffix(2))
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    note("state \(peripheral.state)")
  }

  func peripheralManagerDidStartAdvertising(
    _ peripheral: CBPeripheralManager, error: (any Error)?
  ) {
    note("advertising \(peripheral.isAdvertising)", error)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {
    note("added \(service.uuid.uuidString)", error)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic
  ) {
    contents.withLock { $0.centrals.append(central) }
    let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? -1
    note(
      "\(name(central)) subscribed to \(characteristic.uuid), \(count),"
        + " \(central.maximumUpdateValueLength) bytes")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? -1
    note("\(name(central)) unsubscribed from \(characteristic.uuid), \(count)")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    contents.withLock { $0.requests.append(request) }
    note("\(name(request.central)) reads \(request.characteristic.uuid) from \(request.offset)")
    onRead?(peripheral, request)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
  ) {
    contents.withLock { $0.requests += requests }
    let values = requests.map { request in
      "\(request.characteristic.uuid)[\(request.offset)] = "
        + (request.value ?? Data()).map { String($0) }.joined(separator: " ")
    }
    note(
      "\(requests.first.map { name($0.central) } ?? "?") writes " + values.joined(separator: ", "))
    onWrite?(peripheral, requests)
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    note("ready")
    onReady?(peripheral)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    note("published \(PSM)", error)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    note("unpublished \(PSM)", error)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {
    if let channel { contents.withLock { $0.channels.append(channel) } }
    let central = (channel?.peer as? CBCentral).map(name) ?? "?"
    note("\(central) opened \(channel?.psm ?? 0)", error)
  }
}
