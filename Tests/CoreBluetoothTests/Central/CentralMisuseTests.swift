import BluetoothHost
import Foundation
import LinuxRadio
import Testing

@testable import CoreBluetooth

/// Calls that come too late, and what a manager forgets.
@Suite("A manager: late calls and limits")
struct CentralMisuseTests {
  private let stage = CentralStage()
  private let log = CentralLog()

  @Test("a report that waits for its turn is not delivered to the next scan")
  func nextScan() throws {
    try stage.addBall()
    let (manager, _) = stage.manager(log, knowing: 0xBA)
    stage.queue.suspend()
    stage.queues = []
    manager.scanForPeripherals(withServices: nil)
    stage.pass(1_000)
    // The next scan is for other devices. Its number differs from that of the waiting report.
    manager.stopScan()
    manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    stage.queue.resume()
    stage.queues = [stage.queue]
    stage.pass(1_000)
    #expect(log.take() == [])
    #expect(manager.isScanning)
  }

  @Test("a scan that was requested before the radio was lost does not begin with the next")
  func lateScan() {
    let (manager, _) = stage.manager(log, knowing: 0xBA)
    manager.scanForPeripherals(withServices: nil)
    // The engine has not carried out the call.
    stage.radio.controller.vanish()
    stage.radio.device.radioIsLost(RadioError("unplugged"), at: stage.now)
    stage.settle()
    #expect(log.take() == ["state resetting"])
    #expect(!manager.isScanning)
    #expect(stage.radio.device.central.scanner.wanted == nil)
    #expect(stage.radio.device.central.handles.allSatisfy { $0.scan == nil })
  }

  @Test("a cancellation while the radio is lost does not change the reason of the end")
  func lateCancellation() throws {
    try stage.addBall()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    let ball = peripherals[0]
    manager.connect(ball)
    stage.settle()
    _ = log.take()
    log.onLine = { [weak manager] line in
      if line == "state resetting" { manager?.cancelPeripheralConnection(ball) }
    }
    stage.lose()
    log.onLine = nil
    #expect(
      log.take() == [
        "state resetting", "disconnected Magic 8-Ball disconnected: CBError.connectionFailed",
      ])
  }

  @Test("a manager cannot cancel the connection of another manager's peripheral")
  func foreign() throws {
    try stage.addBall()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    let otherLog = CentralLog()
    let (other, _) = stage.manager(otherLog, knowing: 0xBA)
    manager.connect(peripherals[0])
    stage.settle()
    _ = log.take()
    other.cancelPeripheralConnection(peripherals[0])
    #expect(peripherals[0].state == .connected)
    stage.settle()
    #expect(log.take() == [] && otherLog.take() == [])
    #expect(stage.radio.controller.connectionHandles.count == 1)
  }

  /// Symptom: a program waited forever for the report of its cancellation, as the peripheral had ended
  /// the link just before.
  @Test("a cancellation that meets the end of the link is reported once, and later ones never")
  func crossing() throws {
    let ball = try stage.addBall()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    manager.connect(peripherals[0])
    stage.settle()
    _ = log.take()
    stage.queue.suspend()
    stage.queues = []
    ball.host.disconnectAll()
    stage.settle()
    // The delegate does not know yet that the link has ended.
    #expect(peripherals[0].state == .connected)
    manager.cancelPeripheralConnection(peripherals[0])
    #expect(peripherals[0].state == .disconnecting)
    stage.queue.resume()
    stage.queues = [stage.queue]
    stage.settle()
    #expect(log.take() == ["disconnected Magic 8-Ball disconnected"])
    manager.cancelPeripheralConnection(peripherals[0])
    stage.settle()
    #expect(log.take() == [])
  }

  @Test("the state of a radio that has not been set up does not hide why it is off")
  func stateBeforeSetup() {
    let radio = HandRadio(stage.air.addController(address: .numbered(0x02)), state: .poweredOff)
    stage.add(radio)
    let manager = CBCentralManager(delegate: log, queue: stage.queue, thread: radio)
    stage.settle()
    #expect(log.take() == ["state poweredOff"])
    #expect(manager.state == .poweredOff)
  }

  @Test("calls to a manager that is not powered on have no effect")
  func poweredOff() {
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    manager.state = .poweredOff
    manager.scanForPeripherals(withServices: nil)
    manager.connect(peripherals[0])
    stage.settle()
    #expect(!manager.isScanning)
    #expect(peripherals[0].state == .disconnected)
    #expect(manager.retrievePeripherals(withIdentifiers: [peripherals[0].identifier]) == [])
    #expect(manager.retrieveConnectedPeripherals(withServices: []) == [])
    manager.state = .poweredOn
    manager.scanForPeripherals(withServices: nil)
    manager.connect(peripherals[0])
    manager.state = .poweredOff
    manager.stopScan()
    manager.cancelPeripheralConnection(peripherals[0])
    stage.settle()
    #expect(manager.isScanning)
    #expect(peripherals[0].state == .connecting)
    #expect(stage.radio.device.central.links.count == 1)
    #expect(log.take() == [])
  }

  @Test("no optional feature is supported")
  func features() {
    #expect(CBCentralManager.Feature.extendedScanAndConnect.rawValue == 1)
    #expect(!CBCentralManager.supports(.extendedScanAndConnect))
    #expect(CBCentralManager.supports([]))
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    #expect(!peripherals[0].ancsAuthorized)
    #expect(CBManager.authorization == .allowedAlways)
    #expect(manager.authorization == .allowedAlways)
  }

  @Test("a manager forgets released peripherals once they are more than half")
  func released() {
    let manager = stage.manager(log)
    stage.settle()
    func retrieve(_ number: Int) -> CBPeripheral? {
      let address = DeviceAddress(kind: .public, bytes: [UInt8(number), 1, 0, 0, 0, 0])
      return manager.retrievePeripherals(withIdentifiers: [UUID(address)]).first
    }
    var count: Int { manager.contents.withLock { $0.peripherals.count } }
    let kept = (0..<40).compactMap(retrieve)
    for number in 40..<64 { _ = retrieve(number) }
    #expect(count == 64)
    // The 65th is more than 64: 40 that are kept, and this one.
    _ = retrieve(64)
    #expect(count == 41)
    // Next at more than 2 × 41 = 82.
    for number in 65..<106 { _ = retrieve(number) }
    #expect(count == 82)
    _ = retrieve(106)
    #expect(count == 41)
    #expect(retrieve(0) === kept.first)
  }

  @Test("a manager forgets released peripherals at 64 at the earliest")
  func allReleased() {
    let manager = stage.manager(log)
    stage.settle()
    var count: Int { manager.contents.withLock { $0.peripherals.count } }
    for number in 1...129 {
      let address = DeviceAddress(kind: .public, bytes: [UInt8(number), 1, 0, 0, 0, 0])
      #expect(manager.retrievePeripherals(withIdentifiers: [UUID(address)]).count == 1)
      #expect(count == (number - 1) % 64 + 1, "\(number)")
    }
  }
}
