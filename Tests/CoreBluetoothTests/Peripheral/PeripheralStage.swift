import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

/// A peripheral's engine with a controller and centrals made of bytes. Time stands still. `settle`
/// does everything on the test's thread, apart from delegates.
final class PeripheralStage: ManagerThread, @unchecked Sendable {
  let device = LocalDevice(address: .automatic(orRandom: .zero))
  /// The queue on which delegates are called.
  let queue = DispatchQueue(label: "delegates")
  let now = Instant(rawValue: 1_000)
  /// The parameters of each command that is not part of the start-up, behind its opcode.
  private(set) var commands: [(opcode: HCIOpcode, parameters: [UInt8])] = []
  /// The ATT PDUs sent to each central, by link.
  private var pdus: [UInt16: [[UInt8]]] = [:]
  /// The same on the signalling channel.
  private var signalling: [UInt16: [[UInt8]]] = [:]
  /// The command that is refused.
  var refused: HCIOpcode?
  /// Whether the controller reports sent packets as completed.
  var completesPackets = true

  private let jobs = Locked([@Sendable (LocalDevice) -> Void]())
  private let watchers = Locked([@Sendable (CBManagerState) -> Void]())
  private var state = CBManagerState.unknown
  private var partial: [UInt16: [UInt8]] = [:]

  init() {
    device.radioIsReady(at: now)
    settle()
    commands = []
  }

  // MARK: The thread

  func perform(_ body: @escaping @Sendable (LocalDevice) -> Void) -> Bool {
    jobs.withLock { $0.append(body) }
    return true
  }

  func watchState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> AnyObject {
    watchers.withLock { $0.append(body) }
    body(state)
    return self
  }

  /// Changes the radio's state.
  func change(to state: CBManagerState) {
    self.state = state
    for report in watchers.withLock(\.self) { report(state) }
    settle()
  }

  /// Runs everything until nothing is left to do.
  func settle() {
    for _ in 0..<10_000 {
      let waiting = jobs.withLock { jobs in
        defer { jobs = [] }
        return jobs
      }
      device.run(waiting, at: now)
      while let packet = nextPacket() { answer(packet) }
      queue.sync {}
      if waiting.isEmpty, jobs.withLock(\.isEmpty) { return }
    }
    Issue.record("the work does not end")
  }

  // MARK: Centrals

  /// A central connects; its address ends in the low byte of `link`.
  func connect(_ link: UInt16 = 0x40, mtu: UInt16? = nil) {
    let peer: [UInt8] = [UInt8(truncatingIfNeeded: link), 0, 0, 0, 0, 0xC0]
    receive(
      [0x04, 0x3E, 19, 0x01, 0x00] + little(link) + [1, 1] + peer + [24, 0, 0, 0, 72, 0, 0])
    if let mtu {
      expect([0x02] + little(mtu), gives: [0x03] + little(517), on: link)
    }
  }

  func disconnect(_ link: UInt16 = 0x40) {
    receive([0x04, 0x05, 4, 0x00] + little(link) + [0x13])
  }

  /// Sends one PDU from a central. Returns the PDUs sent to it.
  func exchange(_ pdu: [UInt8], on link: UInt16 = 0x40) -> [[UInt8]] {
    let before = sent(link).count
    let frame = little(UInt16(pdu.count)) + [0x04, 0x00] + pdu
    receive([0x02] + little(link | 0x2000) + little(UInt16(frame.count)) + frame)
    return Array(sent(link)[before...])
  }

  func expect(
    _ pdu: [UInt8], gives responses: [UInt8]..., on link: UInt16 = 0x40,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(exchange(pdu, on: link) == responses, sourceLocation: sourceLocation)
  }

  /// All PDUs sent to a central.
  func sent(_ link: UInt16 = 0x40) -> [[UInt8]] { pdus[link] ?? [] }

  /// All commands on the signalling channel sent to a central.
  func signals(_ link: UInt16) -> [[UInt8]] { signalling[link] ?? [] }

  func forget() {
    pdus = [:]
    commands = []
  }

  private func receive(_ packet: [UInt8]) {
    device.receive(packet.span, at: now)
    settle()
  }

  // MARK: The controller

  private func nextPacket() -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 526)
    var writer = ByteWriter(storage.mutableSpan)
    guard device.nextPacket(into: &writer, at: now) else { return nil }
    let count = writer.count
    return Array(storage.prefix(count))
  }

  private func answer(_ packet: [UInt8]) {
    guard packet[0] == 0x01 else { return take(packet) }
    let opcode = HCIOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
    commands.append((opcode, Array(packet[4...])))
    var results: [UInt8] = [opcode == refused ? 0x0C : 0x00]
    switch opcode {
    case .readBDADDR: results += [1, 0, 0, 0, 0, 0xF0]
    case .leReadBufferSize: results += [251, 0, 8]
    case .leReadLocalSupportedFeatures: results += [UInt8](repeating: 0, count: 8)
    default: break
    }
    give([0x04, 0x0E, UInt8(3 + results.count), 1, packet[1], packet[2]] + results)
  }

  private func take(_ packet: [UInt8]) {
    let link = (UInt16(packet[1]) | UInt16(packet[2]) << 8) & 0x0FFF
    var frame = (partial[link] ?? []) + packet[5...]
    let length = Int(frame[0]) + Int(frame[1]) << 8
    if frame.count == 4 + length {
      if frame[2] == 0x04 { pdus[link, default: []].append(Array(frame[4...])) }
      if frame[2] == 0x05 { signalling[link, default: []].append(Array(frame[4...])) }
      frame = []
    }
    partial[link] = frame.isEmpty ? nil : frame
    if completesPackets { give([0x04, 0x13, 5, 1] + little(link) + [1, 0]) }
  }

  private func give(_ packet: [UInt8]) {
    device.receive(packet.span, at: now)
  }
}

/// The two bytes of a number, the low one first.
func little(_ value: UInt16) -> [UInt8] {
  [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
}

/// An Error Response.
func attError(_ request: UInt8, _ handle: UInt16, _ code: UInt8) -> [UInt8] {
  [0x01, request] + little(handle) + [code]
}

/// The indication that the services from `start` to `end` have changed: Service Changed is 0x000A.
func serviceChanged(_ start: UInt16, _ end: UInt16) -> [UInt8] {
  [0x1D, 0x0A, 0x00] + little(start) + little(end)
}

/// Records each call as text, and responds as the test wants.
final class PeripheralRecorder: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  /// Touched on the delegates' queue, and by the test when that is empty.
  private(set) var log: [String] = []
  private(set) var requests: [CBATTRequest] = []
  private(set) var centrals: [CBCentral] = []
  private var channels: [CBL2CAPChannel] = []
  var onRead: ((CBPeripheralManager, CBATTRequest) -> Void)?
  var onWrite: ((CBPeripheralManager, [CBATTRequest]) -> Void)?
  var onReady: ((CBPeripheralManager) -> Void)?

  /// The lines since the last call.
  func take() -> [String] {
    defer { log = [] }
    return log
  }

  private func name(_ central: CBCentral) -> String {
    // The last byte of the address that the identifier ends in.
    String(central.identifier.uuidString.suffix(2))
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    log.append("state \(peripheral.state)")
  }

  func peripheralManagerDidStartAdvertising(
    _ peripheral: CBPeripheralManager, error: (any Error)?
  ) {
    log.append("advertising \(peripheral.isAdvertising)\(text(of: error))")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {
    log.append("added \(service.uuid.uuidString)\(text(of: error))")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic
  ) {
    centrals.append(central)
    let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? -1
    log.append(
      "\(name(central)) subscribed to \(characteristic.uuid), \(count),"
        + " \(central.maximumUpdateValueLength) bytes")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? -1
    log.append("\(name(central)) unsubscribed from \(characteristic.uuid), \(count)")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
  ) {
    requests.append(request)
    log.append(
      "\(name(request.central)) reads \(request.characteristic.uuid) from \(request.offset)")
    onRead?(peripheral, request)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
  ) {
    self.requests += requests
    let values = requests.map { request in
      "\(request.characteristic.uuid)[\(request.offset)] = "
        + (request.value ?? Data()).map { String($0) }.joined(separator: " ")
    }
    log.append(
      "\(requests.first.map { name($0.central) } ?? "?") writes "
        + values.joined(separator: ", "))
    onWrite?(peripheral, requests)
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    log.append("ready")
    onReady?(peripheral)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM,
    error: (any Error)?
  ) {
    log.append("published \(PSM)\(text(of: error))")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
    error: (any Error)?
  ) {
    log.append("unpublished \(PSM)\(text(of: error))")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {
    if let channel { channels.append(channel) }
    log.append(
      "\((channel?.peer as? CBCentral).map(name) ?? "?") opened \(channel?.psm ?? 0)"
        + text(of: error))
  }

  /// Removes and returns the opened channels, in order.
  func takeChannels() -> [CBL2CAPChannel] {
    defer { channels = [] }
    return channels
  }

  private func text(of error: (any Error)?) -> String {
    guard let error else { return "" }
    let bridged = error as NSError
    return " \(bridged.domain) \(bridged.code)"
  }
}
