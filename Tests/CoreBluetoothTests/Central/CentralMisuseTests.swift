import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("A manager: late calls, limits and the end", .timeLimit(.minutes(1)))
struct CentralMisuseTests {
  private let scene = Scene()
  private let log = Log()

  @Test("a report that waits for its turn is not delivered to the next scan")
  func nextScan() throws {
    try scene.addBall()
    let (manager, _) = scene.manager(log, knowing: 0xBA)
    scene.queue.suspend()
    scene.queues = []
    manager.scanForPeripherals(withServices: nil)
    scene.pass(1_000)
    // The next scan is for other devices. Its number differs from that of the waiting report.
    manager.stopScan()
    manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    scene.queue.resume()
    scene.queues = [scene.queue]
    expect(scene.take(log, after: 1_000), is: [])
    expect(manager.isScanning)
  }

  @Test("a scan that was requested before the radio was lost does not begin with the next")
  func lateScan() {
    let (manager, _) = scene.manager(log, knowing: 0xBA)
    manager.scanForPeripherals(withServices: nil)
    // The engine has not carried out the call.
    scene.lose()
    expect(log.take(), is: ["state resetting"])
    expect(!manager.isScanning)
    expect(scene.radio.device.central.scanner.wanted, is: nil)
    expect(scene.radio.device.central.handles.allSatisfy { $0.scan == nil })
  }

  @Test("a cancellation while the radio is lost does not change the reason of the end")
  func lateCancellation() throws {
    try scene.addBall()
    let (manager, ball) = scene.manager(log, connectedTo: 0xBA)
    log.onLine = { [weak manager] line in
      if line == "state resetting" { manager?.cancelPeripheralConnection(ball) }
    }
    scene.lose()
    log.onLine = nil
    expect(
      log.take(),
      is: ["state resetting", "disconnected Magic 8-Ball disconnected: CBError.connectionFailed"])
  }

  @Test("a manager can neither connect another manager's peripheral nor cancel its connection")
  func foreign() throws {
    try scene.addBall()
    let (manager, peripherals) = scene.manager(log, knowing: 0xBA)
    let otherLog = Log()
    let (other, _) = scene.manager(otherLog, knowing: 0xBA)
    other.connect(peripherals[0])
    scene.pass(1_000)
    expect(scene.radio.controller.connectionHandles, is: [])
    manager.connect(peripherals[0])
    _ = scene.take(log)
    other.cancelPeripheralConnection(peripherals[0])
    expect(peripherals[0].state, is: .connected)
    expect(scene.take(log) == [] && otherLog.take() == [])
    expect(scene.radio.controller.connectionHandles.count, is: 1)
  }

  /// Symptom: a program waited forever for the report of its cancellation, as the peripheral had ended
  /// the link just before.
  @Test("a cancellation that meets the end of the link is reported once, and later ones never")
  func crossing() throws {
    let ball = try scene.addBall()
    let (manager, peripheral) = scene.manager(log, connectedTo: 0xBA)
    scene.queue.suspend()
    scene.queues = []
    ball.host.disconnectAll()
    scene.settle()
    // The delegate does not know yet that the link has ended.
    expect(peripheral.state, is: .connected)
    manager.cancelPeripheralConnection(peripheral)
    expect(peripheral.state, is: .disconnecting)
    scene.queue.resume()
    scene.queues = [scene.queue]
    expect(scene.take(log), is: ["disconnected Magic 8-Ball disconnected"])
    manager.cancelPeripheralConnection(peripheral)
    expect(scene.take(log), is: [])
  }

  @Test("the state of a radio that has not been set up does not hide why it is off")
  func stateBeforeSetup() {
    let scene = Scene(radio: Seat(state: .poweredOff), isStarted: false)
    let manager = scene.manager(log)
    expect(scene.take(log), is: ["state poweredOff"])
    expect(manager.state, is: .poweredOff)
  }

  @Test("calls to a manager that is not powered on have no effect")
  func poweredOff() {
    let (manager, peripherals) = scene.manager(log, knowing: 0xBA)
    manager.state = .poweredOff
    manager.scanForPeripherals(withServices: nil)
    manager.connect(peripherals[0])
    scene.settle()
    expect(!manager.isScanning)
    expect(peripherals[0].state, is: .disconnected)
    expect(manager.retrievePeripherals(withIdentifiers: [peripherals[0].identifier]), is: [])
    expect(manager.retrieveConnectedPeripherals(withServices: []), is: [])
    manager.state = .poweredOn
    manager.scanForPeripherals(withServices: nil)
    manager.connect(peripherals[0])
    manager.state = .poweredOff
    manager.stopScan()
    manager.cancelPeripheralConnection(peripherals[0])
    scene.settle()
    expect(manager.isScanning)
    expect(peripherals[0].state, is: .connecting)
    expect(scene.radio.device.central.links.count, is: 1)
    expect(log.take(), is: [])
  }

  @Test("no feature beyond extended advertising is supported")
  func features() {
    expect(CBCentralManager.Feature.extendedScanAndConnect.rawValue, is: 1)
    expect(!CBCentralManager.supports(CBCentralManager.Feature(rawValue: 0b10)))
    expect(CBCentralManager.supports([]))
    let (manager, peripherals) = scene.manager(log, knowing: 0xBA)
    expect(!peripherals[0].ancsAuthorized)
    expect(CBManager.authorization, is: .allowedAlways)
    expect(manager.authorization, is: .allowedAlways)
  }

  @Test("a manager forgets released peripherals at 64, and once they are more than half")
  func released() {
    let manager = scene.manager(log)
    scene.settle()
    var count: Int { manager.contents.withLock { $0.peripherals.count } }
    func retrieve(_ number: Int) -> CBPeripheral? {
      let address = DeviceAddress(kind: .public, bytes: [UInt8(number), 1, 0, 0, 0, 0])
      return manager.retrievePeripherals(withIdentifiers: [UUID(address)]).first
    }
    for number in 1...129 {
      expect(retrieve(number) != nil)
      expect(count, is: (number - 1) % 64 + 1, "\(number)")
    }
    let kept = (0..<40).compactMap(retrieve)
    for number in 40..<63 { _ = retrieve(number) }
    // With number 129. The 65th is more than 64: 40 that are kept, and this one.
    expect(count, is: 64)
    _ = retrieve(63)
    expect(count, is: 41)
    // Next at more than 2 × 41 = 82.
    for number in 64..<105 { _ = retrieve(number) }
    expect(count, is: 82)
    _ = retrieve(105)
    expect(count, is: 41)
    expect(retrieve(0) === kept.first)
  }

  // MARK: The end of managers and peripherals

  @Test("a released manager frees everything")
  func dropped() throws {
    let ball = try scene.addBall()
    weak var gone: CBCentralManager?
    var peripherals: [CBPeripheral] = []
    do {
      let (manager, found) = scene.manager(log, knowing: 0xBA)
      gone = manager
      peripherals = found
      manager.scanForPeripherals(withServices: nil)
      manager.connect(found[0])
      scene.pass(1_000)
      expect(scene.radio.controller.connectionHandles.count, is: 1)
    }
    scene.settle()
    expect(gone, is: nil)
    expect(scene.radio.controller.connectionHandles, is: [])
    expect(!scene.radio.controller.isScanning)
    expect(peripherals[0].state, is: .disconnected)
    expect(ball.controller.connectionHandles, is: [])
    _ = log.take()
    peripherals[0].readRSSI()
    expect(scene.take(log), is: [])
    expect(scene.radio.device.central.handles.isEmpty)
    expect(scene.radio.device.central.links.isEmpty)
  }

  @Test("the link to a released peripheral is cancelled")
  func droppedPeripheral() throws {
    try scene.addBall()
    let manager: CBCentralManager
    do {
      let (made, found) = scene.manager(log, knowing: 0xBA)
      manager = made
      manager.connect(found[0])
      scene.settle()
      expect(scene.radio.controller.connectionHandles.count, is: 1)
    }
    scene.settle()
    expect(scene.radio.controller.connectionHandles, is: [])
    expect(scene.radio.device.central.links.isEmpty)
    withExtendedLifetime(manager) {}
  }

  @Test(
    "releasing a manager and its peripheral in a callback misuses neither",
    arguments: ["connected - connected", "rssi -50"])
  func droppedInCallback(_ last: String) async throws {
    try scene.addBall()
    let fate = AsyncStream.makeStream(of: Bool.self)
    let owned = Locked<(CBCentralManager, CBPeripheral)?>(nil)
    do {
      let (manager, _) = scene.manager(log, knowing: 0xBA)
      let peripheral = MortalPeripheral(address: .numbered(0xBA), of: manager) {
        fate.continuation.yield($0)
      }
      manager.contents.withLock {
        $0.peripherals[peripheral.address] = .init(peripheral: peripheral)
      }
      peripheral.delegate = log
      owned.withLock { $0 = (manager, peripheral) }
    }
    log.onLine = { line in
      guard line == last else { return }
      // Like an app's object that owns both: the manager is released first.
      let both = owned.withLock { both in
        defer { both = nil }
        return both
      }
      withExtendedLifetime(both) {}
    }
    owned.withLock(\.self).map { $0.0.connect($0.1) }
    scene.settle()
    owned.withLock(\.self)?.1.readRSSI()
    scene.settle()
    expect(owned.withLock { $0 == nil })
    var fates = fate.stream.makeAsyncIterator()
    expect(await fates.next(), is: false, "the manager outlived its peripheral")
    expect(scene.radio.controller.connectionHandles, is: [])
  }
}

/// A peripheral that reports at its release whether its manager still exists.
private final class MortalPeripheral: CBPeripheral, @unchecked Sendable {
  private let report: (Bool) -> Void

  init(address: DeviceAddress, of manager: CBCentralManager, _ report: @escaping (Bool) -> Void) {
    self.report = report
    super.init(address: address, of: manager)
  }

  deinit { report(manager != nil) }
}
