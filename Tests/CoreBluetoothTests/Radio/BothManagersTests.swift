import BluetoothHost
import Foundation
import LinuxRadio
import Testing

@testable import CoreBluetooth

/// Two devices, each with a central manager and a peripheral manager.
struct BothManagersTests {
  @Test func twoDevicesAskEachOtherOverOneLink() throws {
    let path = AirPath()
    let radios = (0..<2).map { _ in path.radio() }
    let (first, second) = (
      SymmetricDevice("first", radios[0]), SymmetricDevice("second", radios[1])
    )
    first.publish(isAdvertised: true)
    second.publish(isAdvertised: false)
    try first.lines.expect("published")
    try second.lines.expect("published")

    // The second connects to the first and reads its value.
    second.visitFirstFound()
    try second.lines.expect("connected", "read first")
    try first.lines.expect("was read")

    // The first reads back. The reader of its value has the same identifier.
    first.visitReader()
    try first.lines.expect("connected", "read second")
    try second.lines.expect("was read")
    for radio in radios {
      let counts = Inbox<Int>()
      radio.perform { counts.put($0.host.connectionCount) }
      #expect(try counts.take() == 1)
    }

    // The first leaves a link that it did not make. The second keeps it.
    first.leave()
    try first.lines.expect("disconnected, no error")
    second.readAgain()
    try second.lines.expect("read first")
    try first.lines.expect("was read")

    // The first uses the same link again, and loses it when the second leaves.
    first.visitReader()
    try first.lines.expect("connected", "read second")
    try second.lines.expect("was read")
    second.leave()
    try second.lines.expect("disconnected, no error")
    try first.lines.expect("disconnected, peripheralDisconnected")
    for radio in radios { radio.close() }
  }
}

/// One device, whose value is its name.
private final class SymmetricDevice: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
  CBPeripheralManagerDelegate, @unchecked Sendable
{
  let lines = Inbox<String>()
  private let name: String
  private let radio: CBRadio
  private let queue: DispatchQueue
  // Only the queue uses these.
  private var central: CBCentralManager?
  private var peripheralManager: CBPeripheralManager?
  private var isAdvertised = false
  private var reader: UUID?
  private var peer: CBPeripheral?
  private var characteristic: CBCharacteristic?

  private static let service = CBUUID(string: "A000")
  private static let value = CBUUID(string: "A001")

  init(_ name: String, _ radio: CBRadio) {
    self.name = name
    self.radio = radio
    queue = DispatchQueue(label: name)
  }

  func publish(isAdvertised: Bool) {
    queue.sync {
      self.isAdvertised = isAdvertised
      central = CBCentralManager(delegate: self, queue: queue, radio: radio)
      peripheralManager = CBPeripheralManager(delegate: self, queue: queue, radio: radio)
    }
  }

  func visitFirstFound() {
    queue.sync { central?.scanForPeripherals(withServices: [Self.service]) }
  }

  func visitReader() {
    queue.sync {
      guard let reader, let found = central?.retrievePeripherals(withIdentifiers: [reader]).first
      else { return }
      visit(found)
    }
  }

  private func visit(_ peripheral: CBPeripheral) {
    peer = peripheral
    peripheral.delegate = self
    central?.connect(peripheral)
  }

  func readAgain() {
    queue.sync {
      if let characteristic { peer?.readValue(for: characteristic) }
    }
  }

  func leave() {
    queue.sync {
      if let peer { central?.cancelPeripheralConnection(peer) }
    }
  }

  // MARK: Peripheral

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: Self.value, properties: .read, value: nil, permissions: .readable)
    ]
    peripheral.add(service)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {
    guard isAdvertised else { return lines.put("published") }
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
    reader = request.central.identifier
    lines.put("was read")
    request.value = Data(name.utf8)
    peripheral.respond(to: request, withResult: .success)
  }

  // MARK: Central

  func centralManagerDidUpdateState(_ central: CBCentralManager) {}

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    central.stopScan()
    visit(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    lines.put("connected")
    peripheral.discoverServices([Self.service])
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    lines.put("failed: \(error.map { "\($0)" } ?? "")")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else { return lines.put("no service") }
    peripheral.discoverCharacteristics([Self.value], for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    characteristic = service.characteristics?.first
    if let characteristic { peripheral.readValue(for: characteristic) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    lines.put("read \(String(decoding: characteristic.value ?? Data(), as: UTF8.self))")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    let isByPeer = (error as? CBError)?.code == .peripheralDisconnected
    lines.put(
      "disconnected, \(error == nil ? "no error" : isByPeer ? "peripheralDisconnected" : "\(error as Any)")"
    )
  }
}
