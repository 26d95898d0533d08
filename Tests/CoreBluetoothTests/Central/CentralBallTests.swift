import Foundation
import Testing

@testable import CoreBluetooth

private let service = CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E")
private let question = CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77")
private let answer = CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445")

@Suite("A manager asks a ball")
struct CentralBallTests {
  @Test("finds it, asks, receives the answer and disconnects")
  func asks() throws {
    let stage = CentralStage()
    try stage.addBall()
    let log = CentralLog()
    let manager = stage.manager(log)
    stage.settle()
    #expect(log.take() == ["state poweredOn"])

    manager.scanForPeripherals(withServices: [service])
    #expect(manager.isScanning)
    stage.pass(1_000)
    manager.stopScan()
    #expect(log.take() == ["discovered Magic 8-Ball -50"])
    let advertisement = try #require(log.advertisements.first)
    #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "Magic 8-Ball")
    #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [service])
    #expect(advertisement[CBAdvertisementDataIsConnectable] as? NSNumber == true)
    #expect(advertisement.count == 3)

    let ball = try #require(log.peripherals.first)
    #expect(ball.identifier == UUID(.numbered(0xBA)))
    manager.connect(ball)
    #expect(ball.state == .connecting)
    stage.pass(1_000)
    #expect(log.take() == ["connected Magic 8-Ball connected"])
    // 517 (the ball's MTU) − 3 = 514; the maximum value length is 512.
    #expect(ball.maximumWriteValueLength(for: .withoutResponse) == 512)
    #expect(ball.maximumWriteValueLength(for: .withResponse) == 512)

    ball.discoverServices([service])
    stage.settle()
    #expect(log.take() == ["services [\"\(service)\"]"])
    let found = try #require(ball.services?.first)
    ball.discoverCharacteristics(nil, for: found)
    stage.settle()
    #expect(log.take() == ["characteristics [\"\(question)\", \"\(answer)\"]"])
    let characteristics = try #require(found.characteristics)
    #expect(characteristics[0].properties == [.write, .writeWithoutResponse])
    #expect(characteristics[1].properties == [.read, .notify])

    ball.setNotifyValue(true, for: characteristics[1])
    ball.writeValue(Data("Will it rain?".utf8), for: characteristics[0], type: .withResponse)
    stage.settle()
    let lines = log.take()
    #expect(lines.prefix(2) == ["notifying 349A true", "wrote BDD3"])
    #expect(lines.count == 3)
    let text = String(decoding: try #require(characteristics[1].value), as: UTF8.self)
    #expect(lines.last == "value 349A \(text)")

    ball.writeValue(Data("It will rain.".utf8), for: characteristics[0], type: .withResponse)
    ball.readValue(for: characteristics[1])
    ball.readRSSI()
    ball.setNotifyValue(false, for: characteristics[1])
    stage.settle()
    #expect(
      Set(log.take()) == [
        "wrote BDD3: CBATTError 0xe", "value 349A \(text)", "rssi -50", "notifying 349A false",
      ])

    manager.cancelPeripheralConnection(ball)
    #expect(ball.state == .disconnecting)
    stage.settle()
    #expect(log.take() == ["disconnected Magic 8-Ball disconnected"])
    #expect(ball.services == nil)
  }

  @Test("several managers on one radio share the link, each with a separate subscription")
  func sharedLink() throws {
    let stage = CentralStage()
    try stage.addBall()
    let logs = [CentralLog(), CentralLog()]
    let managers = logs.map { stage.manager($0) }
    stage.settle()
    for manager in managers { manager.scanForPeripherals(withServices: nil) }
    stage.pass(1_000)
    let balls = try logs.map { try #require($0.peripherals.first) }
    #expect(balls[0] !== balls[1])
    #expect(balls[0].identifier == balls[1].identifier)
    for (manager, ball) in zip(managers, balls) {
      manager.stopScan()
      manager.connect(ball)
    }
    stage.pass(1_000)
    #expect(stage.radio.controller.connectionHandles.count == 1)
    for ball in balls { ball.discoverServices([service]) }
    stage.settle()
    for ball in balls {
      ball.discoverCharacteristics(nil, for: try #require(ball.services?.first))
    }
    stage.settle()
    let characteristics = try balls.map { try #require($0.services?.first?.characteristics) }
    for (ball, characteristics) in zip(balls, characteristics) {
      ball.setNotifyValue(true, for: characteristics[1])
    }
    stage.settle()
    // One ends its subscription, then its connection. The other's stay.
    balls[0].setNotifyValue(false, for: characteristics[0][1])
    stage.settle()
    #expect(logs[0].take().last == "notifying 349A false")
    managers[0].cancelPeripheralConnection(balls[0])
    stage.settle()
    #expect(logs[0].take() == ["disconnected Magic 8-Ball disconnected"])
    _ = logs[1].take()
    balls[1].writeValue(Data("Still?".utf8), for: characteristics[1][0], type: .withResponse)
    stage.settle()
    #expect(logs[1].take().count == 2)
    #expect(logs[0].take() == [])
    managers[1].cancelPeripheralConnection(balls[1])
    stage.settle()
    #expect(stage.radio.controller.connectionHandles == [])
  }

  @Test("lists the connected peripherals and the known ones")
  func retrieval() throws {
    let stage = CentralStage()
    try stage.addBall()
    let log = CentralLog()
    let manager = stage.manager(log)
    stage.settle()
    #expect(manager.retrieveConnectedPeripherals(withServices: [service]) == [])
    let identifier = UUID(.numbered(0xBA))
    let ball = try #require(
      manager.retrievePeripherals(withIdentifiers: [UUID(), identifier]).first)
    #expect(ball.name == nil)
    #expect(manager.retrievePeripherals(withIdentifiers: [identifier]).first === ball)
    ball.delegate = log
    manager.connect(ball)
    stage.settle()
    ball.discoverServices(nil)
    stage.settle()
    #expect(
      log.take() == [
        "state poweredOn", "connected - connected", "name Magic 8-Ball",
        "services [\"180A\", \"\(service)\"]",
      ])
    let connected = manager.retrieveConnectedPeripherals(withServices: [service])
    #expect(connected.count == 1)
    #expect(connected.first === ball)
    #expect(manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")]) == [])
  }
}
