import BluetoothHost
import Expectations
import Foundation
import VirtualRadio

@testable import CoreBluetooth

/// Random calls and random faults of the air: the reports are consistent, and in the end nothing is
/// left.
@Suite("A manager on a random walk")
struct CentralWalkTests {
  @Test("reports a consistent life of every connection", arguments: 1...40)
  func walk(seed: Int) throws {
    var dice = SplitMix64(seed: UInt64(seed))
    let scene = Scene()
    let balls = try [0xB1, 0xB2].map { try scene.addBall("Ball", number: $0) }
    let log = Log()
    let (manager, peripherals) = scene.manager(log, knowing: 0xB0, 0xB1, 0xB2)

    for _ in 0..<200 {
      let peripheral = try #require(peripherals.randomElement(using: &dice))
      let characteristic = (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }
        .randomElement(using: &dice)
      switch Int.random(in: 0..<15, using: &dice) {
      case 0...2: manager.connect(peripheral)
      case 3: manager.cancelPeripheralConnection(peripheral)
      case 4: manager.scanForPeripherals(withServices: nil)
      case 5: manager.stopScan()
      case 6: peripheral.discoverServices(nil)
      case 7:
        for service in peripheral.services ?? [] {
          peripheral.discoverCharacteristics(nil, for: service)
        }
      case 8:
        if let characteristic {
          peripheral.setNotifyValue(Bool.random(using: &dice), for: characteristic)
        }
      case 9:
        if let characteristic {
          peripheral.readValue(for: characteristic)
          peripheral.writeValue(Data("Why?".utf8), for: characteristic, type: .withResponse)
          peripheral.writeValue(Data("Who?".utf8), for: characteristic, type: .withoutResponse)
        }
      case 10: peripheral.readRSSI()
      case 11: balls.randomElement(using: &dice)?.host.disconnectAll()
      case 12:
        if Int.random(in: 0..<6, using: &dice) == 0 {
          scene.radio.controller.fail(hardwareCode: 0x42)
        } else {
          scene.radio.controller.faults.losePacket(type: .acl)
        }
      case 13: for peripheral in peripherals { peripheral.discoverServices(nil) }
      default: scene.pass(UInt32.random(in: 0...6_000, using: &dice))
      }
      if Bool.random(using: &dice) { scene.settle() }
    }
    // A controller that is being set up again cannot be used.
    scene.pass(5_000)
    expect(manager.state, is: .poweredOn)
    for peripheral in peripherals { manager.cancelPeripheralConnection(peripheral) }
    manager.stopScan()
    scene.pass(40_000)
    let lines = log.take()
    expect(peripherals.map(\.state), is: [.disconnected, .disconnected, .disconnected])
    expect(scene.radio.controller.connectionHandles, is: [])
    expect(!scene.radio.controller.isScanning)
    expect(scene.radio.device.central.links.isEmpty)
    expect(scene.radio.device.central.deadline, is: nil)

    expect(peripherals.allSatisfy { $0.services == nil && !$0.canSendWriteWithoutResponse })
    // No state is reported twice, and every link has an end.
    let states = lines.filter { $0.hasPrefix("state") }
    expect(zip(states, states.dropFirst()).allSatisfy { $0 != $1 })
    let connected = lines.count { $0.hasPrefix("connected") }
    let ended = lines.count { $0.hasPrefix("disconnected") || $0.hasPrefix("failed") }
    // A repeated connection report is no new link. An end without a link is a cancelled attempt.
    expect(ended > 0 || connected == 0, "\(lines)")
  }
}
