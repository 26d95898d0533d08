import BluetoothHost
import Expectations
import LinuxRadio
import VirtualRadio

@testable import CoreBluetooth

/// Both roles of a device on one controller, as peers see them.
struct RoleTests {
  @Test func itScansWhileItAdvertises() throws {
    let scene = try RoleScene()
    scene.device.central.scan()
    scene.run(for: 1_000)
    expect(scene.device.controller.isScanning && scene.device.controller.isAdvertising)
    let heard = scene.device.events.count { event in
      guard case .discovered(let found) = event else { return false }
      return found.address == RoleScene.ballAddress
    }
    expect(heard > 0)
    try scene.expectWorking()
  }

  @Test(arguments: [1, 2, 3, 8] as [UInt8], [true, false])
  func neitherRoleTakesAllBuffers(count: UInt8, sharesBuffers: Bool) throws {
    let scene = try RoleScene(
      controller: ControllerConfiguration(
        aclDataLength: 27, aclPacketCount: count, sharesBuffers: sharesBuffers))
    let (visit, call) = try scene.visitBoth()
    for _ in 0..<3 {
      // Both at once: neither waits for the other's end.
      let question = Array("Will a question that takes several packets be answered?".utf8)
      let central = scene.device.central
      central.perform(.exchangeMTU, on: visit)
      let write = central.perform(.write(handle(0x1D), question), on: visit)
      expect(scene.askDevice(call))
      scene.run(for: 10_000) { scene.device.outcomes[write] != nil }
      expect(scene.device.outcomes[write], is: .success(.written))
    }
    scene.expectTidy()
  }

  @Test func atMostEightCentralsConnect() throws {
    let scene = try RoleScene()
    let phones = (0x10..<0x19 as Range<UInt8>).map { scene.add(Seat(isRecorded: true), number: $0) }
    for phone in phones {
      _ = phone.central.connect(to: scene.deviceAddress)
      scene.run(for: 2_000)
    }
    expect(phones.map(\.links.count), is: [1, 1, 1, 1, 1, 1, 1, 1, 0])
    expect(!scene.device.controller.isAdvertising)
    // The device can still make links itself.
    expect(try scene.askBall(scene.visitBall()) != nil)
    expect(scene.device.controller.connectionHandles.count, is: 9)
  }

  // MARK: Starting

  /// The host waits 2 s after each refusal of a Reset.
  @Test func aControllerThatCannotBeStartedIsTriedAgain() {
    let scene = Scene(isStarted: false) {
      $0.faults.refuse(.reset, with: .hardwareFailure, times: 5)
    }
    let program = scene.radio.device
    var troubles: [String] = []
    program.onError = { troubles.append($0.description) }
    scene.start()
    scene.pass(2_000)
    expect(troubles, is: [])
    scene.pass(2_000)
    // Three faults without hearing a peer. Further ones are not reported.
    expect(troubles, is: ["the controller refused command 0x0C03 with error 0x03"])
    scene.pass(2_000)
    scene.pass(2_000)
    scene.pass(1_999)
    expect(!program.isReady)
    scene.pass(1)
    expect(program.isReady)
    expect(troubles.count, is: 1)
    expect(program.deadline, is: nil)
  }

  /// A new thread of the radio starts without the state of the last.
  @Test func itStartsAgain() throws {
    let scene = Scene()
    let program = scene.radio.device
    let handle = CentralHandle(queue: .main)
    program.central.add(handle)
    program.central.scan(
      handle, ManagerScan(number: 1, services: [], solicited: [], allowsDuplicates: false))
    try scene.addBall()
    program.central.connect(PeerLink.Member(handle) { _ in }, to: .numbered(0xBA))
    scene.pass(200)
    expect(scene.radio.controller.connectionHandles.count, is: 1)
    program.shutDown(at: scene.now)
    scene.settle()
    program.renew()
    expect(!program.isFinished)
    expect(!program.isReady)
    scene.start()
    expect(program.isReady)
    expect(!scene.radio.controller.isScanning)
    expect(program.deadline, is: nil)
  }
}
