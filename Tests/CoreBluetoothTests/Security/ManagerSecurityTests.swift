import BluetoothHost
import Foundation
import LinuxRadio
import Testing

@testable import CoreBluetooth

/// Managers of two radios, one of which publishes values that take an encrypted link.
@Suite("Managers and encryption")
struct ManagerSecurityTests {
  private let path = AirPath()
  private let safe: CBRadio
  private let guest: CBRadio
  private let keeper: Keeper
  private let visitor: Visitor

  init() throws {
    let path = path
    let radios = (0..<2).map { _ in
      CBRadio(RadioEngine(.virtual, airPath: path.text, stopsWhenUnused: true))
    }
    (safe, guest) = (radios[0], radios[1])
    keeper = Keeper(safe)
    #expect(try keeper.lines.take() == "published")
    visitor = Visitor(guest)
  }

  private func close() {
    safe.close()
    guest.close()
  }

  /// The visitor's next lines.
  private func expect(
    _ lines: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for line in lines {
      let next = try visitor.lines.take()
      #expect(next == line, sourceLocation: sourceLocation)
    }
  }

  @Test("Values are read, written and notified; then the bond alone encrypts, and is forgotten")
  func life() throws {
    defer { close() }
    visitor.visit()
    try expect("connected", "read secret", "notifying true", "wrote", "read news")
    let (first, second) = (try #require(safe.bondedPeers.first), guest.bondedPeers)
    #expect(second == [try #require(visitor.identifier)])

    // Nobody has to agree any more.
    safe.pairing = .refused
    guest.pairing = .refused
    visitor.leave()
    try expect("disconnected")
    visitor.visit()
    try expect("connected", "read secret", "notifying true", "wrote", "read news")
    visitor.leave()
    try expect("disconnected")

    // The peripheral forgets, and the central does not believe whoever has its address.
    safe.removeBond(with: first)
    visitor.visit()
    try expect("connected", "disconnected, Peer removed pairing information.")
    #expect(guest.bondedPeers == second)

    // The central forgets too. The peripheral still refuses to pair, and each request with it.
    guest.removeBond(with: second[0])
    guest.pairing = .automatic
    visitor.visit()
    try expect(
      "connected", "Authentication is insufficient.", "Authentication is insufficient.",
      "Authentication is insufficient.")
    visitor.leave()
    try expect("disconnected")

    safe.pairing = .automatic
    visitor.visit()
    try expect("connected", "read secret", "notifying true", "wrote", "read news")
  }

  @Test("Programs compare the digits, each on its side")
  func comparison() throws {
    defer { close() }
    let digits = Inbox<String>()
    for radio in [safe, guest] {
      radio.pairing = CBPairing(ability: .displayYesNo, requiresUser: true) { request in
        if case .compare(let number) = request.prompt { digits.put(number) }
        request.answer(true)
      }
    }
    visitor.visit()
    try expect("connected", "read secret")
    #expect(try digits.take() == digits.take())
  }
}

/// Publishes a secret, and sends news after each write.
private final class Keeper: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  let lines = Inbox<String>()
  private let queue = DispatchQueue(label: "keeper")
  // The queue's own.
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
    _ = peripheral.updateValue(Data("news".utf8), for: characteristic, onSubscribedCentrals: nil)
  }
}

/// Reads the secret, subscribes to it, and writes it, one after the other.
private final class Visitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
  @unchecked Sendable
{
  let lines = Inbox<String>()
  private let queue = DispatchQueue(label: "visitor")
  // The queue's own.
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
    manager.scanForPeripherals(withServices: [Keeper.service])
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
    // A link that is lost is made again, but not to a peripheral that has lost its bond.
    manager?.connect(
      peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: NSNumber(value: true)])
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    lines.put("connected")
    peripheral.discoverServices([Keeper.service])
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
    if text != "news" { peripheral.setNotifyValue(true, for: characteristic) }
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
