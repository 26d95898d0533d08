import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("A manager's links")
struct CentralLinkTests {
  private let log = CentralLog()

  @Test("calls before the radio is on have no effect")
  func misuse() throws {
    let stage = CentralStage(isStarted: false)
    let ball = try stage.addBall()
    let manager = stage.manager(log)
    manager.scanForPeripherals(withServices: nil)
    manager.stopScan()
    #expect(!manager.isScanning)
    #expect(manager.retrievePeripherals(withIdentifiers: [UUID(.numbered(0xBA))]) == [])
    stage.start()
    stage.pass(1_000)
    #expect(log.take() == ["state poweredOn"])
    #expect(!stage.radio.controller.isScanning)
    #expect(ball.controller.isAdvertising)
  }

  @Test("the loss of a link is reported with its reason")
  func lost() throws {
    let stage = CentralStage()
    let ball = try stage.addBall()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    manager.connect(peripherals[0])
    stage.settle()
    _ = log.take()
    ball.controller.vanish()
    stage.pass(10_000)
    #expect(
      log.take() == ["disconnected Magic 8-Ball disconnected: CBError.connectionTimeout"])
  }

  @Test("the connection to an absent peripheral waits without limit")
  func waitingConnection() throws {
    let stage = CentralStage()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    manager.connect(peripherals[0])
    stage.pass(600_000)
    #expect(log.take() == [])
    #expect(peripherals[0].state == .connecting)
    try stage.addBall()
    stage.pass(1_000)
    #expect(log.take() == ["connected - connected", "name Magic 8-Ball"])
    // Connecting again only reports the connection again.
    manager.connect(peripherals[0])
    stage.settle()
    #expect(log.take() == ["connected Magic 8-Ball connected"])
    #expect(stage.radio.controller.connectionHandles.count == 1)
  }

  @Test("the cancellation of a pending connection is reported as an end without an error")
  func cancelPending() throws {
    let stage = CentralStage()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    manager.connect(peripherals[0])
    stage.pass(5_000)
    manager.cancelPeripheralConnection(peripherals[0])
    #expect(peripherals[0].state == .disconnecting)
    stage.settle()
    #expect(log.take() == ["disconnected - disconnected"])
    try stage.addBall()
    stage.pass(5_000)
    #expect(log.take() == [])
    // A second cancellation has no effect.
    manager.cancelPeripheralConnection(peripherals[0])
    stage.settle()
    #expect(log.take() == [])
  }

  @Test("connecting again at once is reported after the end of the first connection")
  func again() throws {
    let stage = CentralStage()
    try stage.addBall()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    let ball = peripherals[0]
    manager.connect(ball)
    stage.settle()
    _ = log.take()
    manager.cancelPeripheralConnection(ball)
    manager.connect(ball)
    manager.connect(ball)
    #expect(ball.state == .disconnecting)
    stage.pass(2_000)
    #expect(
      log.take() == [
        "disconnected Magic 8-Ball connecting", "connected Magic 8-Ball connected",
      ])
    manager.cancelPeripheralConnection(ball)
    manager.connect(ball)
    manager.cancelPeripheralConnection(ball)
    stage.pass(2_000)
    #expect(
      log.take() == [
        "disconnected Magic 8-Ball disconnecting", "disconnected Magic 8-Ball disconnected",
      ])
  }

  @Test("a connection begins after the requested delay")
  func startDelay() throws {
    let stage = CentralStage()
    try stage.addBall()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    manager.connect(peripherals[0], options: [CBConnectPeripheralOptionStartDelayKey: 3])
    stage.pass(2_999)
    #expect(log.take() == [])
    stage.pass(1_000)
    #expect(log.take().first == "connected - connected")
  }

  @Test("several peripherals are connected at once, past an absent one, while scanning")
  func several() throws {
    let stage = CentralStage()
    for number in 0xB1...0xB3 { try stage.addBall("Ball \(number)", number: UInt8(number)) }
    let (manager, peripherals) = stage.manager(log, knowing: 0xB0, 0xB1, 0xB2, 0xB3)
    manager.scanForPeripherals(withServices: nil)
    for peripheral in peripherals { manager.connect(peripheral) }
    stage.pass(30_000)
    #expect(
      peripherals.map(\.state) == [.connecting, .connected, .connected, .connected])
    #expect(manager.isScanning)
    _ = log.take()
    for peripheral in peripherals { peripheral.readRSSI() }
    stage.settle()
    #expect(log.take() == ["rssi -50", "rssi -50", "rssi -50"])
    for peripheral in peripherals { manager.cancelPeripheralConnection(peripheral) }
    stage.pass(5_000)
    #expect(log.take().count == 4)
    #expect(stage.radio.controller.connectionHandles == [])
  }

  @Test("a controller without room for more links is reported")
  func limit() throws {
    let stage = CentralStage(.init(maximumLinks: 1))
    for number in 0xB1...0xB2 { try stage.addBall("Ball", number: UInt8(number)) }
    let (manager, peripherals) = stage.manager(log, knowing: 0xB1, 0xB2)
    for peripheral in peripherals { manager.connect(peripheral) }
    stage.pass(5_000)
    #expect(
      log.take().filter { !$0.hasPrefix("name") } == [
        "connected - connected", "failed - disconnected: CBError.connectionLimitReached",
      ])
  }

  @Test("the loss of the radio ends everything, and the state comes first")
  func radioLost() throws {
    let stage = CentralStage()
    let ball = try stage.addBall()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA, 0xBB)
    manager.connect(peripherals[0])
    stage.settle()
    manager.connect(peripherals[1])
    manager.scanForPeripherals(withServices: nil)
    stage.settle()
    _ = log.take()
    ball.controller.faults.losePacket(type: .acl)
    peripherals[0].discoverServices(nil)
    stage.settle()
    stage.lose()
    #expect(
      log.take() == [
        "state resetting", "services []: CBError.connectionFailed",
        "disconnected Magic 8-Ball disconnected: CBError.connectionFailed",
        "failed - disconnected: CBError.connectionFailed",
      ])
    #expect(!manager.isScanning)
    #expect(peripherals.map(\.state) == [.disconnected, .disconnected])
  }

  @Test("a controller that starts at the second attempt is not reported as resetting")
  func slowStart() {
    let stage = CentralStage(isStarted: false)
    let manager = stage.manager(log)
    stage.radio.controller.faults.leaveUnanswered(.reset)
    stage.start()
    stage.pass(1_000)
    #expect(log.take() == [])
    #expect(manager.state == .unknown)
    stage.pass(10_000)
    #expect(log.take() == ["state poweredOn"])
  }

  @Test("a failed controller is set up again, and all requests have to be repeated")
  func controllerFails() throws {
    let stage = CentralStage()
    try stage.addBall()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    manager.connect(peripherals[0])
    stage.settle()
    manager.scanForPeripherals(withServices: nil)
    stage.settle()
    _ = log.take()
    stage.radio.controller.fail(hardwareCode: 0x42)
    stage.pass(10_000)
    #expect(
      log.take() == [
        "state resetting", "disconnected Magic 8-Ball disconnected: CBError.connectionFailed",
        "state poweredOn",
      ])
    #expect(!manager.isScanning)
    #expect(!stage.radio.controller.isScanning)
    manager.connect(peripherals[0])
    stage.pass(1_000)
    #expect(log.take() == ["connected Magic 8-Ball connected"])
  }

  @Test("a peripheral of another manager is refused")
  func foreign() throws {
    let stage = CentralStage()
    try stage.addBall()
    let (_, peripherals) = stage.manager(log, knowing: 0xBA)
    let other = stage.manager(CentralLog())
    stage.settle()
    other.connect(peripherals[0])
    stage.pass(1_000)
    #expect(stage.radio.controller.connectionHandles == [])
  }

  @Test("calls from callbacks work")
  func callbacks() throws {
    let stage = CentralStage()
    try stage.addBall()
    let log = log
    let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
    let (steps, ball) = (Locked(0), peripherals[0])
    log.onLine = { [weak manager] line in
      steps.withLock { $0 += 1 }
      if line.hasPrefix("connected") { ball.discoverServices(nil) }
      if line.hasPrefix("services") {
        for service in ball.services ?? [] { ball.discoverCharacteristics(nil, for: service) }
      }
      if line.hasPrefix("characteristics"), line.contains("BDD3") {
        manager?.cancelPeripheralConnection(ball)
      }
    }
    manager.connect(ball)
    stage.pass(1_000)
    log.onLine = nil
    let lines = log.take()
    #expect(lines.last == "disconnected - disconnected")
    // 180A and the ball's service: GAP and GATT are not listed.
    #expect(lines.filter { $0.hasPrefix("characteristics") }.count == 2)
    #expect(lines.count == steps.withLock { $0 })
  }
}
