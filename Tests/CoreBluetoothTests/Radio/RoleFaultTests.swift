import BluetoothHost
import LinuxRadio
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// A controller that fails, is slow, refuses or sends nonsense, under a device with both roles.
struct RoleFaultTests {
  /// Every command that a role needs.
  static let commands: [HCIOpcode] = [
    .reset, .setEventMask, .leSetEventMask, .readBDADDR, .leReadBufferSize,
    .leReadLocalSupportedFeatures, .leSetAdvertisingParameters, .leSetAdvertisingData,
    .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable,
    .leCreateConnection, .disconnect, .leSetDataLength, .leSetPHY, .readRSSI,
  ]

  @Test(arguments: commands, [1, 2]) func aCommandIsLeftUnanswered(
    opcode: HCIOpcode, times: Int
  ) throws {
    let stage = try RoleStage { $0.faults.leaveUnanswered(opcode, times: times) }
    stage.device.program.central.scan()
    stage.run(for: 10_000)
    try useOnce(stage)
    stage.run(for: 70_000)
    try stage.expectWorking()
  }

  @Test(arguments: commands, [1, 2]) func aCommandIsRefused(
    opcode: HCIOpcode, times: Int
  ) throws {
    let stage = try RoleStage { $0.faults.refuse(opcode, with: .commandDisallowed, times: times) }
    stage.device.program.central.scan()
    stage.run(for: 10_000)
    try useOnce(stage)
    stage.run(for: 70_000)
    try stage.expectWorking()
  }

  /// Uses everything once, whether or not it works.
  private func useOnce(_ stage: RoleStage) throws {
    let visit = stage.device.program.central.connect(to: RoleStage.ballAddress)
    let call = stage.phone.program.central.connect(to: stage.deviceAddress)
    stage.run(for: 15_000)
    stage.device.program.central.disconnect(visit)
    stage.device.program.device.host.disconnectAll()
    stage.run(for: 15_000)
    stage.phone.program.central.disconnect(call)
    stage.device.program.central.stopScan()
  }

  @Test func aRefusalToAdvertiseEndsNoLinkOfTheCentral() throws {
    let stage = try RoleStage(isPublished: false)
    let visit = try stage.visitBall()
    stage.device.radio.faults.refuse(
      .leSetAdvertisingEnable, with: .commandDisallowed, times: 100)
    try stage.publish()
    stage.run(for: 7_000)
    #expect(stage.device.program.device.host.radio != .advertising)
    #expect(stage.device.program.links == [visit])
    #expect(stage.askBall(visit) != nil)

    // The host asks again when the link has ended.
    stage.device.radio.faults.removeAll()
    stage.device.program.central.disconnect(visit)
    let call = try stage.visitDevice()
    #expect(stage.askDevice(call))
    #expect(stage.device.commands.count { $0 == .reset } == 1)
  }

  /// Symptom: a controller that does not advertise while it scans was reset for ever.
  @Test func aControllerThatDoesNotAdvertiseWhileItScansIsNotReset() throws {
    let stage = try RoleStage(isPublished: false)
    stage.device.program.central.scan()
    stage.run(for: 1_000)
    stage.device.radio.faults.refuse(
      .leSetAdvertisingEnable, with: .commandDisallowed, times: 100)
    try stage.publish()
    stage.run(for: 7_000)
    #expect(stage.device.radio.isScanning && !stage.device.radio.isAdvertising)
    let isHeldBack = stage.device.program.device.host.isAdvertisingHeldBack
    #expect(isHeldBack)
    #expect(stage.device.commands.count { $0 == .reset } == 1)

    // It advertises when the scan has ended.
    stage.device.radio.faults.removeAll()
    stage.device.program.central.stopScan()
    stage.run(for: 1_000)
    #expect(stage.device.radio.isAdvertising && !stage.device.radio.isScanning)
    try stage.expectWorking()
  }

  @Test func aRefusalToScanIsForTheCentral() throws {
    let stage = try RoleStage()
    let call = try stage.visitDevice()
    stage.device.radio.faults.refuse(.leSetScanEnable, with: .commandDisallowed)
    stage.device.program.central.scan()
    stage.run(for: 1_000)
    #expect(stage.device.program.events.contains(.scanFailed(.commandDisallowed)))
    #expect(stage.askDevice(call))
    try stage.expectWorkingBeside(call)
  }

  @Test func aRefusalToConnectIsForTheCentral() throws {
    let stage = try RoleStage()
    let call = try stage.visitDevice()
    stage.device.radio.faults.refuse(.leCreateConnection, with: .connectionLimitExceeded)
    let link = stage.device.program.central.connect(to: RoleStage.ballAddress)
    stage.settle()
    #expect(
      stage.device.program.events.contains(
        .connectionFailed(link, .refused(.connectionLimitExceeded))))
    #expect(stage.phone.program.links == [call])
    try stage.expectWorkingBeside(call)
  }

  @Test(arguments: [0x42, nil] as [UInt8?]) func theControllerFails(code: UInt8?) throws {
    let stage = try RoleStage()
    _ = try stage.visitBall()
    _ = try stage.visitDevice()
    stage.device.radio.fail(hardwareCode: code)
    // Without an event, the fault shows when links are checked or data is not accepted.
    stage.run(for: code == nil ? 200_000 : 10_000)
    if code == nil {
      stage.device.program.central.perform(
        .read(handle(0x1F)), on: stage.device.program.links.first ?? LinkID(rawValue: 0))
      stage.run(for: 60_000)
    }
    try stage.expectWorking()
  }

  @Test func aHardwareErrorEndsAllLinks() throws {
    let stage = try RoleStage()
    _ = try stage.visitBall()
    _ = try stage.visitDevice()
    stage.device.radio.reportHardwareError(0x42)
    stage.run(for: 5_000)
    #expect(stage.device.program.events.contains(.radioFault(.hardwareError(0x42))))
    #expect(stage.device.program.links.isEmpty)
    #expect(stage.device.program.device.host.connectionCount == 0)
    #expect(stage.device.commands.count { $0 == .reset } == 2)
    try stage.expectWorking()
  }

  @Test func theRadioIsLostAndFoundAgain() throws {
    let stage = try RoleStage()
    _ = try stage.visitBall()
    _ = try stage.visitDevice()
    stage.device.lose(at: stage.now)
    stage.run(for: 10_000)
    #expect(stage.device.program.links.isEmpty)
    #expect(stage.device.program.device.host.radio == .fault(.lost))
    stage.device.find(at: stage.now)
    try stage.expectWorking()
  }

  @Test(arguments: [1, 300, 1_900] as [UInt32]) func theControllerAnswersLate(
    delay: UInt32
  ) throws {
    let stage = try RoleStage(delay: delay)
    stage.run(for: 60_000)
    #expect(stage.device.program.device.host.radio == .advertising)
    #expect(stage.device.program.central.isReady)
    #expect(stage.device.commands.count { $0 == .reset } == 1)
    let visit = try stage.visitBall()
    let call = try stage.visitDevice()
    #expect(stage.askBall(visit) != nil)
    #expect(stage.askDevice(call))
    stage.expectTidy()
  }

  @Test func theControllerAnswersTooLateForAWhile() throws {
    let stage = try RoleStage(delay: 2_500)
    stage.run(for: 60_000)
    stage.device.delay = 0
    stage.run(for: 10_000)
    try stage.expectWorking()
  }

  @Test(arguments: [
    HCIPacketType.event, .acl,
  ]) func packetsAreLostDoubledOrCut(type: HCIPacketType) throws {
    for fault in 0..<30 {
      let stage = try RoleStage(seed: UInt64(fault))
      let visit = try stage.visitBall()
      let call = try stage.visitDevice()
      switch fault % 5 {
      case 0: stage.device.radio.faults.losePacket(type: type)
      case 1: stage.device.radio.faults.duplicatePacket(type: type)
      case 2: stage.device.radio.faults.cutPacket(to: fault / 5 + 2, type: type)
      case 3: stage.device.radio.faults.misstateLength(by: fault / 5 - 3, type: type)
      default: stage.device.radio.faults.loseCompletions(fault / 5 + 1)
      }
      _ = stage.askBall(visit)
      _ = stage.askDevice(call)
      stage.device.program.central.disconnect(visit)
      stage.phone.program.central.disconnect(call)
      stage.run(for: 200_000)
      try stage.expectWorking()
    }
  }

  @Test func nonsenseStopsNothing() throws {
    var random = Dice(state: 11)
    for seed in 0..<20 {
      let stage = try RoleStage(seed: UInt64(seed))
      _ = try stage.visitBall()
      _ = try stage.visitDevice()
      for _ in 0..<400 {
        stage.device.program.receive(random.packet().span, at: stage.now)
        stage.settle()
      }
      stage.run(for: 300_000)
      #expect(!stage.isStuck)
      // It received events of links that do not exist, and ends of links that do.
      stage.device.program.radioIsLost(RadioError("unplugged"), at: stage.now)
      stage.run(for: 40_000)
      stage.device.program.radioIsReady(at: stage.now)
      stage.run(for: 40_000)
      let visit = try stage.visitBall()
      let call = try stage.visitDevice()
      #expect(stage.askBall(visit) != nil)
      #expect(stage.askDevice(call))
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
    case 1:
      return [.random(in: 0...6, using: &self)] + parameters
    case 2:
      return [0x04, code, .random(in: 0...40, using: &self)] + parameters
    default:
      return [0x04, code, UInt8(parameters.count)] + parameters
    }
  }
}
