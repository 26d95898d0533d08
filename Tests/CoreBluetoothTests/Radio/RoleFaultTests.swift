import BluetoothHost
import Expectations
import LinuxRadio
import VirtualRadio

@testable import CoreBluetooth

/// A controller that fails, is slow, refuses or sends nonsense, under a device with both roles.
struct RoleFaultTests {
  /// Every command that a role needs.
  static let commands: [HCIOpcode] = [
    .reset, .setEventMask, .leSetEventMask, .readBDADDR, .leReadBufferSize,
    .leReadLocalSupportedFeatures, .leSetExtendedAdvertisingParameters,
    .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
    .leSetExtendedAdvertisingEnable, .leSetExtendedScanParameters, .leSetExtendedScanEnable,
    .leExtendedCreateConnection, .disconnect, .leSetDataLength, .leSetPHY, .readRSSI,
  ]

  @Test(arguments: commands, [(1, true), (1, false), (2, true), (2, false)])
  func aCommandIsRefusedOrLeftUnanswered(opcode: HCIOpcode, fault: (times: Int, isRefused: Bool))
    throws
  {
    let scene = try RoleScene {
      if fault.isRefused {
        $0.faults.refuse(opcode, with: .commandDisallowed, times: fault.times)
      } else {
        $0.faults.leaveUnanswered(opcode, times: fault.times)
      }
    }
    scene.device.central.scan()
    scene.run(for: 10_000)
    try useOnce(scene)
    scene.run(for: 70_000)
    try scene.expectWorking()
  }

  /// Uses everything once, whether or not it works.
  private func useOnce(_ scene: RoleScene) throws {
    let visit = scene.device.central.connect(to: RoleScene.ballAddress)
    let call = scene.phone.central.connect(to: scene.deviceAddress)
    scene.run(for: 15_000)
    scene.device.central.disconnect(visit)
    scene.device.device.host.disconnectAll()
    scene.run(for: 15_000)
    scene.phone.central.disconnect(call)
    scene.device.central.stopScan()
  }

  @Test func aRefusalToAdvertiseEndsNoLinkOfTheCentral() throws {
    let scene = try RoleScene(isPublished: false)
    let visit = try scene.visitBall()
    scene.device.controller.faults.refuse(
      .leSetExtendedAdvertisingEnable, with: .commandDisallowed, times: 100)
    try scene.publish()
    scene.run(for: 7_000)
    expect(scene.device.device.host.radio != .advertising)
    expect(scene.device.links, is: [visit])
    expect(scene.askBall(visit) != nil)
    // The host asks again when the link has ended.
    scene.device.controller.faults.removeAll()
    scene.device.central.disconnect(visit)
    expect(try scene.askDevice(scene.visitDevice()))
    expect(scene.device.commands.count { $0 == .reset }, is: 1)
  }

  /// Symptom: a controller that does not advertise while it scans was reset for ever.
  @Test func aControllerThatDoesNotAdvertiseWhileItScansIsNotReset() throws {
    let scene = try RoleScene(isPublished: false)
    scene.device.central.scan()
    scene.run(for: 1_000)
    scene.device.controller.faults.refuse(
      .leSetExtendedAdvertisingEnable, with: .commandDisallowed, times: 100)
    try scene.publish()
    scene.run(for: 7_000)
    expect(scene.device.controller.isScanning && !scene.device.controller.isAdvertising)
    expect(scene.device.device.host.isAdvertisingHeldBack)
    expect(scene.device.commands.count { $0 == .reset }, is: 1)
    // It advertises when the scan has ended.
    scene.device.controller.faults.removeAll()
    scene.device.central.stopScan()
    scene.run(for: 1_000)
    expect(scene.device.controller.isAdvertising && !scene.device.controller.isScanning)
    try scene.expectWorking()
  }

  @Test func aRefusalToScanIsForTheCentral() throws {
    let scene = try RoleScene()
    let call = try scene.visitDevice()
    scene.device.controller.faults.refuse(.leSetExtendedScanEnable, with: .commandDisallowed)
    scene.device.central.scan()
    scene.run(for: 1_000)
    expect(scene.device.events.contains(.scanFailed(.commandDisallowed)))
    expect(scene.askDevice(call))
    try scene.expectWorkingBeside(call)
  }

  @Test func aRefusalToConnectIsForTheCentral() throws {
    let scene = try RoleScene()
    let call = try scene.visitDevice()
    scene.device.controller.faults.refuse(
      .leExtendedCreateConnection, with: .connectionLimitExceeded)
    let link = scene.device.central.connect(to: RoleScene.ballAddress)
    scene.settle()
    expect(
      scene.device.events.contains(.connectionFailed(link, .refused(.connectionLimitExceeded))))
    expect(scene.phone.links, is: [call])
    try scene.expectWorkingBeside(call)
  }

  @Test(arguments: [0x42, nil] as [UInt8?]) func theControllerFails(code: UInt8?) throws {
    let scene = try RoleScene()
    try scene.visitBoth()
    scene.device.controller.fail(hardwareCode: code)
    // Without an event, the fault shows when links are checked or data is not accepted.
    scene.run(for: code == nil ? 200_000 : 10_000)
    if code == nil {
      scene.device.central.perform(
        .read(handle(0x1F)), on: scene.device.links.first ?? LinkID(rawValue: 0))
      scene.run(for: 60_000)
    }
    try scene.expectWorking()
  }

  @Test func aHardwareErrorEndsAllLinks() throws {
    let scene = try RoleScene()
    try scene.visitBoth()
    scene.device.controller.reportHardwareError(0x42)
    scene.run(for: 5_000)
    expect(scene.device.events.contains(.controllerError(.hardwareError(0x42))))
    expect(scene.device.links.isEmpty)
    expect(scene.device.device.host.connectionCount, is: 0)
    expect(scene.device.commands.count { $0 == .reset }, is: 2)
    try scene.expectWorking()
  }

  @Test func theRadioIsLostAndFoundAgain() throws {
    let scene = try RoleScene()
    try scene.visitBoth()
    scene.device.lose(at: scene.now)
    scene.run(for: 10_000)
    expect(scene.device.links.isEmpty)
    expect(scene.device.device.host.radio, is: .fault(.lost))
    scene.device.find(at: scene.now)
    try scene.expectWorking()
  }

  @Test(arguments: [1, 300, 1_900] as [UInt32])
  func theControllerAnswersLate(delay: UInt32) throws {
    let scene = try RoleScene(delay: delay)
    scene.run(for: 60_000)
    expect(scene.device.device.host.radio, is: .advertising)
    expect(scene.device.central.isReady)
    expect(scene.device.commands.count { $0 == .reset }, is: 1)
    let (visit, call) = try scene.visitBoth()
    expect(scene.askBall(visit) != nil)
    expect(scene.askDevice(call))
    expect(scene.device.controller.connectionHandles.count, is: 2)
    expect(scene.device.device.host.connectionCount, is: 2)
    scene.expectTidy()
  }

  @Test func theControllerAnswersTooLateForAWhile() throws {
    let scene = try RoleScene(delay: 2_500)
    scene.run(for: 60_000)
    scene.device.delay = 0
    scene.run(for: 10_000)
    try scene.expectWorking()
  }

  @Test(arguments: [HCIPacketType.event, .acl])
  func packetsAreLostDoubledOrCut(type: HCIPacketType) throws {
    for fault in 0..<30 {
      let scene = try RoleScene(seed: UInt64(fault))
      let (visit, call) = try scene.visitBoth()
      switch fault % 5 {
      case 0: scene.device.controller.faults.losePacket(type: type)
      case 1: scene.device.controller.faults.duplicatePacket(type: type)
      case 2: scene.device.controller.faults.cutPacket(to: fault / 5 + 2, type: type)
      case 3: scene.device.controller.faults.misstateLength(by: fault / 5 - 3, type: type)
      default: scene.device.controller.faults.loseCompletions(fault / 5 + 1)
      }
      _ = scene.askBall(visit)
      _ = scene.askDevice(call)
      scene.device.central.disconnect(visit)
      scene.phone.central.disconnect(call)
      scene.run(for: 200_000)
      try scene.expectWorking()
    }
  }

  @Test func nonsenseStopsNothing() throws {
    var random = Dice(state: 11)
    for seed in 0..<20 {
      let scene = try RoleScene(seed: UInt64(seed))
      try scene.visitBoth()
      for _ in 0..<400 {
        scene.device.receive(random.packet().span, at: scene.now)
        scene.settle()
      }
      scene.run(for: 300_000)
      expect(!scene.isStuck)
      // It received events of links that do not exist, and ends of links that do.
      scene.device.device.radioIsLost(RadioError("unplugged"), at: scene.now)
      scene.run(for: 40_000)
      scene.device.device.radioIsReady(at: scene.now)
      scene.run(for: 40_000)
      let (visit, call) = try scene.visitBoth()
      expect(scene.askBall(visit) != nil)
      expect(scene.askDevice(call))
    }
  }
}

extension Dice {
  /// A slightly wrong packet from the controller.
  mutating func packet() -> [UInt8] {
    let codes: [UInt8] = [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x10, 0x13, 0x1A, 0x30, 0x3E, 0xFF]
    var parameters = (0..<Int.random(in: 0...30, using: &self)).map { _ in
      Bool.random(using: &self)
        ? UInt8.random(in: 0...3, using: &self) : UInt8.random(in: 0...255, using: &self)
    }
    let code = codes.randomElement(using: &self) ?? 0
    if code == 0x3E, !parameters.isEmpty {
      parameters[0] = UInt8.random(in: 0...0x16, using: &self)
    }
    switch Int.random(in: 0..<8, using: &self) {
    case 0:
      let length = UInt8(parameters.count)
      return [0x02, .random(in: 0...0x40, using: &self), 0x20, length, 0] + parameters
    case 1: return [.random(in: 0...6, using: &self)] + parameters
    case 2: return [0x04, code, .random(in: 0...40, using: &self)] + parameters
    default: return [0x04, code, UInt8(parameters.count)] + parameters
    }
  }
}
