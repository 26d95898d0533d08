import BallTestSupport
import BluetoothCentral
import BluetoothHost
import LinuxRadio
import Testing
import VirtualRadio

/// A shared controller that fails, is slow, refuses or talks nonsense.
struct SharedControllerFaultTests {
  /// Every command that either host sends.
  static let commands: [HCIOpcode] = [
    .reset, .setEventMask, .leSetEventMask, .readBDADDR, .leReadBufferSize,
    .leReadLocalSupportedFeatures, .leSetAdvertisingParameters, .leSetAdvertisingData,
    .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable,
    .leCreateConnection, .disconnect, .leSetDataLength, .leSetPHY, .readRSSI,
  ]

  @Test(arguments: commands, [1, 2]) func aCommandIsLeftUnanswered(
    opcode: HCIOpcode, times: Int
  ) throws {
    let stage = try SharedStage(joined: []) { $0.startAttempts = 100 }
    stage.device.radio.faults.leaveUnanswered(opcode, times: times)
    stage.device.program.join(.first, at: stage.now)
    stage.device.program.join(.second, at: stage.now)
    stage.device.program.first.central.scan()
    stage.run(for: 10_000)
    try useOnce(stage)
    stage.run(for: 70_000)
    try stage.expectWorking()
  }

  /// A central that may not end a link takes it for gone, and cannot have another to that peer.
  static let refusable = commands.filter { $0 != .disconnect }

  @Test(arguments: refusable, [1, 2]) func aCommandIsRefused(
    opcode: HCIOpcode, times: Int
  ) throws {
    let stage = try SharedStage(joined: []) { $0.startAttempts = 100 }
    stage.device.radio.faults.refuse(opcode, with: .commandDisallowed, times: times)
    stage.device.program.join(.first, at: stage.now)
    stage.device.program.join(.second, at: stage.now)
    stage.device.program.first.central.scan()
    stage.run(for: 10_000)
    try useOnce(stage)
    stage.run(for: 70_000)
    try stage.expectWorking()
  }

  /// Uses everything once, whether or not it works.
  private func useOnce(_ stage: SharedStage) throws {
    let visit = stage.device.program.first.central.connect(
      to: SharedStage.ballAddress, at: stage.now)
    let call = stage.phone.program.central.connect(to: SharedStage.deviceAddress, at: stage.now)
    stage.run(for: 15_000)
    stage.device.program.first.central.disconnect(visit, at: stage.now)
    stage.device.program.second.host.disconnectAll()
    stage.run(for: 15_000)
    stage.phone.program.central.disconnect(call, at: stage.now)
    stage.device.program.first.central.stopScan()
  }

  @Test func aRefusalToAdvertiseEndsNoLinkOfTheCentral() throws {
    let stage = try SharedStage(joined: [.first])
    let visit = try stage.visitBall()
    stage.device.radio.faults.refuse(
      .leSetAdvertisingEnable, with: .commandDisallowed, times: 100)
    stage.device.program.join(.second, at: stage.now)
    stage.run(for: 7_000)
    #expect(stage.device.program.second.host.radio != .advertising)
    #expect(stage.device.program.first.links == [visit])
    #expect(stage.askBall(visit) != nil)

    stage.device.radio.faults.removeAll()
    let call = try stage.visitDevice()
    #expect(stage.askDevice(call) != nil)
    #expect(stage.device.program.first.links == [visit])
    #expect(stage.device.commands.count { $0 == .reset } == 1)
  }

  @Test func aRefusalToScanIsForTheCentral() throws {
    let stage = try SharedStage()
    let call = try stage.visitDevice()
    stage.device.radio.faults.refuse(.leSetScanEnable, with: .commandDisallowed)
    stage.device.program.first.central.scan()
    stage.run(for: 1_000)
    #expect(stage.device.program.first.events.contains(.scanFailed(.commandDisallowed)))
    #expect(stage.askDevice(call) != nil)
    try stage.expectWorkingBeside(call)
  }

  @Test func aRefusalToConnectIsForTheCentral() throws {
    let stage = try SharedStage()
    let call = try stage.visitDevice()
    stage.device.radio.faults.refuse(.leCreateConnection, with: .commandDisallowed)
    let link = stage.device.program.first.central.connect(
      to: SharedStage.ballAddress, at: stage.now)
    stage.settle()
    #expect(
      stage.device.program.first.events.contains(
        .connectionFailed(link, .controller(.commandDisallowed))))
    #expect(stage.phone.program.links == [call])
    try stage.expectWorkingBeside(call)
  }

  @Test(arguments: [0x42, nil] as [UInt8?]) func theControllerFails(code: UInt8?) throws {
    let stage = try SharedStage()
    _ = try stage.visitBall()
    _ = try stage.visitDevice()
    stage.device.radio.fail(hardwareCode: code)
    // Without a word, it shows when links are asked after, or when data is not taken.
    stage.run(for: code == nil ? 200_000 : 10_000)
    if code == nil {
      stage.device.program.first.central.perform(
        .read(AttributeHandle(rawValue: 0x1F)),
        on: stage.device.program.first.links.first
          ?? LinkID(rawValue: 0))
      stage.run(for: 60_000)
    }
    try stage.expectWorking()
  }

  @Test func aHardwareErrorIsToldBoth() throws {
    let stage = try SharedStage()
    _ = try stage.visitBall()
    _ = try stage.visitDevice()
    stage.device.radio.reportHardwareError(0x42)
    stage.run(for: 5_000)
    #expect(stage.device.program.first.events.contains(.radioFault(.hardwareError(0x42))))
    #expect(stage.device.program.first.links.isEmpty)
    #expect(stage.device.program.second.host.connectionCount == 0)
    #expect(stage.device.commands.count { $0 == .reset } == 2)
    try stage.expectWorking()
  }

  @Test func theRadioIsLostAndFoundAgain() throws {
    let stage = try SharedStage()
    _ = try stage.visitBall()
    _ = try stage.visitDevice()
    stage.device.lose(at: stage.now)
    stage.run(for: 10_000)
    #expect(stage.device.program.first.links.isEmpty)
    #expect(stage.device.program.second.host.radio == .fault(.lost))
    stage.device.radio = stage.air.addController(
      address: SharedStage.deviceAddress, configuration: stage.configuration)
    stage.device.program.radioIsReady(at: stage.now)
    try stage.expectWorking()
  }

  @Test(arguments: [1, 300, 1_900] as [UInt32]) func theControllerAnswersLate(
    delay: UInt32
  ) throws {
    let stage = try SharedStage(delay: delay)
    stage.run(for: 60_000)
    #expect(stage.device.program.second.host.radio == .advertising)
    #expect(stage.device.program.first.central.isReady)
    #expect(stage.device.commands.count { $0 == .reset } == 1)
    let visit = try stage.visitBall()
    let call = try stage.visitDevice()
    #expect(stage.askBall(visit) != nil)
    #expect(stage.askDevice(call) != nil)
    stage.expectTidy()
  }

  @Test func theControllerAnswersTooLateForAWhile() throws {
    let stage = try SharedStage(delay: 2_500) { $0.startAttempts = 100 }
    stage.run(for: 60_000)
    stage.device.delay = 0
    stage.run(for: 10_000)
    try stage.expectWorking()
  }

  @Test(arguments: [
    HCIPacketType.event, .acl,
  ]) func packetsAreLostDoubledOrCut(type: HCIPacketType) throws {
    for fault in 0..<30 {
      let stage = try SharedStage(seed: UInt64(fault)) { $0.startAttempts = 100 }
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
      stage.device.program.first.central.disconnect(visit, at: stage.now)
      stage.phone.program.central.disconnect(call, at: stage.now)
      stage.run(for: 200_000)
      try stage.expectWorking()
    }
  }

  @Test func nonsenseStopsNothing() throws {
    var random = FixedRandom(seed: 11)
    for seed in 0..<20 {
      let stage = try SharedStage(seed: UInt64(seed)) { $0.startAttempts = 1_000 }
      _ = try stage.visitBall()
      _ = try stage.visitDevice()
      for _ in 0..<400 {
        stage.device.program.receive(random.packet().span, at: stage.now)
        stage.settle()
      }
      stage.run(for: 300_000)
      #expect(!stage.isStuck)
      // It was told of links that there are not, and of ends of links that there are.
      stage.device.program.radioIsLost(RadioError("unplugged"), at: stage.now)
      stage.run(for: 40_000)
      stage.device.program.radioIsReady(at: stage.now)
      stage.run(for: 40_000)
      let visit = try stage.visitBall()
      let call = try stage.visitDevice()
      #expect(stage.askBall(visit) != nil)
      #expect(stage.askDevice(call) != nil)
    }
  }
}

extension SharedStage {
  /// The device's central can be used while the phone keeps its link.
  func expectWorkingBeside(
    _ call: LinkID, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let visit = try visitBall(sourceLocation: sourceLocation)
    let answers = (askBall(visit), askDevice(call))
    #expect(answers.0 != nil && answers.1 != nil, sourceLocation: sourceLocation)
    #expect(phone.program.links == [call], sourceLocation: sourceLocation)
    expectTidy(sourceLocation: sourceLocation)
  }
}

extension FixedRandom {
  /// A packet from the controller that is nearly one.
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

  /// A command that is nearly one.
  mutating func command() -> [UInt8] {
    let opcodes: [HCIOpcode] = SharedControllerFaultTests.commands + [.leCreateConnectionCancel]
    let opcode = opcodes.randomElement(using: &self) ?? .reset
    let parameters = (0..<Int.random(in: 0...12, using: &self)).map { _ in
      UInt8.random(in: 0...4, using: &self)
    }
    let low = UInt8(truncatingIfNeeded: opcode.rawValue)
    let high = UInt8(truncatingIfNeeded: opcode.rawValue >> 8)
    return [0x01, low, high, UInt8(parameters.count)] + parameters
  }
}
