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

  @Test func nonsenseStopsNothing() throws {
    var random = SplitMix64(seed: 11)
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

extension SplitMix64 {
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
