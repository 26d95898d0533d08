import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("A manager's links")
struct CentralLinkTests {
  /// The ball's.
  private let service = CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E")
  private let scene = Scene()
  private let log = Log()

  @Test("the connection to an absent peripheral waits without limit")
  func waitingConnection() throws {
    let (manager, peripherals) = scene.manager(log, knowing: 0xBA)
    manager.connect(peripherals[0])
    expect(scene.take(log, after: 600_000), is: [])
    expect(peripherals[0].state, is: .connecting)
    try scene.addBall()
    expect(scene.take(log, after: 1_000), is: ["connected - connected", "name Magic 8-Ball"])
    // Connecting again only reports the connection again.
    manager.connect(peripherals[0])
    expect(scene.take(log), is: ["connected Magic 8-Ball connected"])
    expect(scene.radio.controller.connectionHandles.count, is: 1)
  }

  @Test("connecting again at once is reported after the end of the first connection")
  func again() throws {
    try scene.addBall()
    let (manager, ball) = scene.manager(log, connectedTo: 0xBA)
    manager.cancelPeripheralConnection(ball)
    manager.connect(ball)
    manager.connect(ball)
    expect(ball.state, is: .disconnecting)
    expect(
      scene.take(log, after: 2_000),
      is: ["disconnected Magic 8-Ball connecting", "connected Magic 8-Ball connected"])
    manager.cancelPeripheralConnection(ball)
    manager.connect(ball)
    manager.cancelPeripheralConnection(ball)
    expect(
      scene.take(log, after: 2_000),
      is: ["disconnected Magic 8-Ball disconnecting", "disconnected Magic 8-Ball disconnected"])
  }

  @Test("a controller without room for more links is reported")
  func limit() throws {
    let scene = Scene(.init(maximumLinks: 1))
    for number in 0xB1...0xB2 { try scene.addBall("Ball", number: UInt8(number)) }
    let (manager, peripherals) = scene.manager(log, knowing: 0xB1, 0xB2)
    for peripheral in peripherals { manager.connect(peripheral) }
    expect(
      scene.take(log, after: 5_000).filter { !$0.hasPrefix("name") },
      is: ["connected - connected", "failed - disconnected: CBError.connectionLimitReached"])
  }

  @Test("the loss of the radio ends everything, and the state comes first")
  func radioLost() throws {
    let ball = try scene.addBall()
    let (manager, peripherals) = scene.manager(log, knowing: 0xBA, 0xBB)
    manager.connect(peripherals[0])
    scene.settle()
    manager.connect(peripherals[1])
    manager.scanForPeripherals(withServices: nil)
    _ = scene.take(log)
    ball.controller.faults.losePacket(type: .acl)
    peripherals[0].discoverServices(nil)
    scene.settle()
    scene.lose()
    expect(
      log.take(),
      is: [
        "state resetting", "services []: CBError.connectionFailed",
        "disconnected Magic 8-Ball disconnected: CBError.connectionFailed",
        "failed - disconnected: CBError.connectionFailed",
      ])
    expect(!manager.isScanning)
    expect(peripherals.map(\.state), is: [.disconnected, .disconnected])
  }

  @Test("a controller that starts at the second attempt is not reported as resetting")
  func slowStart() {
    let scene = Scene(isStarted: false)
    let manager = scene.manager(log)
    scene.radio.controller.faults.leaveUnanswered(.reset)
    scene.start()
    expect(scene.take(log, after: 1_000), is: [])
    expect(manager.state, is: .unknown)
    expect(scene.take(log, after: 10_000), is: ["state poweredOn"])
  }

  @Test("calls from callbacks work")
  func callbacks() throws {
    try scene.addBall()
    let (manager, peripherals) = scene.manager(log, knowing: 0xBA)
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
    scene.pass(1_000)
    log.onLine = nil
    let lines = log.take()
    expect(lines.last, is: "disconnected - disconnected")
    // 180A and the ball's service: GAP and GATT are not listed.
    expect(lines.filter { $0.hasPrefix("characteristics") }.count, is: 2)
    expect(lines.count, is: steps.withLock { $0 })
  }

  @Test("several managers on one radio share the link, each with a separate subscription")
  func sharedLink() throws {
    try scene.addBall()
    let logs = [Log(), Log()]
    let managers = logs.map { scene.manager($0) }
    scene.settle()
    for manager in managers { manager.scanForPeripherals(withServices: nil) }
    scene.pass(1_000)
    let balls = try logs.map { try #require($0.peripherals.first) }
    expect(balls[0] !== balls[1])
    expect(balls[0].identifier, is: balls[1].identifier)
    for (manager, ball) in zip(managers, balls) {
      manager.stopScan()
      manager.connect(ball)
    }
    scene.pass(1_000)
    expect(scene.radio.controller.connectionHandles.count, is: 1)
    let characteristics = try balls.map { try scene.characteristics(of: $0, in: service) }
    for (ball, characteristics) in zip(balls, characteristics) {
      ball.setNotifyValue(true, for: characteristics[1])
    }
    scene.settle()
    // One ends its subscription, then its connection. The other's stay.
    balls[0].setNotifyValue(false, for: characteristics[0][1])
    scene.settle()
    expect(logs[0].take().last, is: "notifying 349A false")
    managers[0].cancelPeripheralConnection(balls[0])
    scene.settle()
    expect(logs[0].take(), is: ["disconnected Magic 8-Ball disconnected"])
    _ = logs[1].take()
    balls[1].writeValue(Data("Still?".utf8), for: characteristics[1][0], type: .withResponse)
    scene.settle()
    expect(logs[1].take().count, is: 2)
    expect(logs[0].take(), is: [])
    managers[1].cancelPeripheralConnection(balls[1])
    scene.settle()
    expect(scene.radio.controller.connectionHandles, is: [])
  }

  @Test("lists the connected peripherals and the known ones")
  func retrieval() throws {
    try scene.addBall()
    let manager = scene.manager(log)
    scene.settle()
    expect(manager.retrieveConnectedPeripherals(withServices: [service]), is: [])
    let identifier = UUID(.numbered(0xBA))
    let ball = try #require(
      manager.retrievePeripherals(withIdentifiers: [UUID(), identifier]).first)
    expect(ball.name, is: nil)
    expect(manager.retrievePeripherals(withIdentifiers: [identifier]).first === ball)
    ball.delegate = log
    manager.connect(ball)
    scene.settle()
    ball.discoverServices(nil)
    expect(
      scene.take(log),
      is: [
        "state poweredOn", "connected - connected", "name Magic 8-Ball",
        "services [\"180A\", \"\(service)\"]",
      ])
    let connected = manager.retrieveConnectedPeripherals(withServices: [service])
    expect(connected.count, is: 1)
    expect(connected.first === ball)
    expect(manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")]), is: [])
  }
}
