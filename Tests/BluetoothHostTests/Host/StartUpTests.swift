import Expectations

@testable import BluetoothHost

/// The commands that set up a controller with LE buffers and a public address.
private let plainStartUp: [HCIOpcode] = [
  .reset, .readBDADDR, .setEventMask, .leSetEventMask, .leReadBufferSize,
  .leReadLocalSupportedFeatures, .leSetAdvertisingParameters, .leSetAdvertisingData,
  .leSetScanResponseData, .leSetAdvertisingEnable,
]

private let randomAddress = DeviceAddress(kind: .random, bytes: [6, 5, 4, 3, 2, 0xC1])

private let scenarios: [HostScenario] = [
  Scenario(
    "A controller is set up, and advertises", on: { ScriptedPeripheral<2>() },
    .also { expect($0.commands, is: plainStartUp) }, .radio(.advertising),
    // The initial state, starting, is not reported as a change.
    .events(.radio(.silent), .radio(.advertising)),
    // The check of the advertising.
    .deadline(30_000)),
  Scenario(
    "The commands have the expected parameters",
    // Bits 4, 7, 15 and 61; bits 0, 2, 4, 5, 6, 9 and 11.
    .sent(.setEventMask, [0x90, 0x80, 0, 0, 0, 0, 0, 0x20]),
    .sent(.leSetEventMask, [0x75, 0x0A, 0, 0, 0, 0, 0, 0]),
    // 100 ms / 0.625 = 160; 150 / 0.625 = 240; ADV_IND; public; no peer; all channels; anyone
    .sent(
      .leSetAdvertisingParameters,
      [160, 0, 240, 0, 0x00, 0x00, 0x00, 0, 0, 0, 0, 0, 0, 0b111, 0x00]),
    // 3 (flags) + 18 (service) + 6 (name) = 27, padded to 31
    .sent(
      .leSetAdvertisingData,
      [27] + ([0x02, 0x01, 0x06, 17, 0x07] + testServiceBytes + [5, 0x09] + Array("Test".utf8)) + [
        0, 0, 0, 0,
      ]),
    .sent(.leSetScanResponseData, [UInt8](repeating: 0, count: 32)),
    .sent(.leSetAdvertisingEnable, [0x01])),
  Scenario(
    "A host that was not started ignores all events", on: { ScriptedPeripheral<1>(starts: false) },
    .run, .connect(), .receive([0x04, 0x10, 1, 0x42]), .complete(.reset, [0x00]), .pass(60_000),
    .commands(), .events(), .deadline(nil), .start, .radio(.advertising)),
  Scenario(
    "Command Status can refuse a command",
    on: { ScriptedPeripheral<1>.with { $0.unanswered = .reset } },
    .status(.unknownCommand, of: .reset), .radio(.fault(.refused(.reset, .unknownCommand)))),
  Scenario(
    "A controller without command credits gets the next command after 2 s",
    on: { ScriptedPeripheral<1>.with { $0.commandCredits = 0 } },
    .commands(.reset), .deadline(2_000), .pass(2_000), .commands(.reset, .readBDADDR),
    // Credits from a separate event are used at once.
    .set(\.commandCredits, 1), .complete(.none, []), .radio(.advertising)),
  Scenario(
    "A Hardware Error ends every link; centrals can connect again", on: { ScriptedPeripheral<2>() },
    .connect(0x40), .connect(0x41), .forgetEvents, .receive([0x04, 0x10, 1, 0x42]),
    .events(
      .disconnected(0, .hardwareFailure), .disconnected(1, .hardwareFailure),
      .radio(.fault(.hardwareError(0x42)))),
    .pass(0), .radio(.advertising), .connect(0x40), .read()),
  Scenario(
    "A stray answer does not hasten a reset that waits",
    on: { ScriptedPeripheral<3>.with { $0.refused = (.reset, .hardwareFailure) } },
    .set(\.refused, nil), .complete(.none, []), .commands(.reset)),
  Scenario(
    "Invalid buffer sizes are taken as the minimum",
    on: {
      ScriptedPeripheral<1>.with {
        $0.leBuffers = (0, 0)
        $0.buffers = (0, 0)
        $0.completesPackets = false
      }
    },
    .connect(), .exchangeMTU(517), .packets(1), .completePackets(),
    .set(application: \.values[0], [UInt8](counting: 512)), .send([0x0A, 0x0D, 0x00]),
    .also { expect($0.aclPackets.last?.count, is: 5 + 27) }),
  Scenario(
    "An answer to another command gives only credits",
    on: { ScriptedPeripheral<1>.with { $0.unanswered = .reset } },
    .deadline(2_000), .pass(100), .complete(.readBDADDR, [0x00, 9, 9, 9, 9, 9, 9]),
    .status(.hardwareFailure, of: .leSetPHY), .commands(.reset), .radio(.starting),
    // The deadline of the sent command stays.
    .deadline(1_900)),
  Scenario(
    "A refused random address is taken as set before",
    on: { ScriptedPeripheral<1>(address: .random(randomAddress), starts: false) },
    .refuse(.leSetRandomAddress, .commandDisallowed), .start, .radio(.advertising)),
]

@Suite("Host: start-up")
struct StartUpTests {
  @Test("The start-up", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: ScriptedPeripheral<1>()) }

  @Test(
    "After 2 s without an answer to a command, the host goes on or starts again",
    arguments: plainStartUp)
  func unanswered(opcode: HCIOpcode) {
    let controller = ScriptedPeripheral<1>.with { $0.unanswered = opcode }
    expect(controller.commands.last, is: opcode)
    expect(controller.deadline, is: controller.now.advanced(by: 2_000))
    controller.pass(milliseconds: 1_999)
    expect(controller.commands.last, is: opcode)
    controller.behaviour.unanswered = nil
    controller.pass(milliseconds: 1)
    let isNeeded =
      opcode == .reset || opcode == .setEventMask
      || opcode.rawValue >= HCIOpcode.leSetAdvertisingParameters.rawValue
    if isNeeded {
      expect(controller.events.contains(.radio(.fault(.unanswered(opcode)))))
      expect(controller.commands.filter { $0 == .reset }.count, is: 2)
    } else {
      expect(!controller.commands.dropFirst().contains(.reset))
    }
    expect(controller.radio, is: .advertising)
    controller.connect()
    controller.exchange([0x0A, 0x03, 0x00], gives: [0x0B] + Array("Test".utf8))
  }

  @Test("A command that is never answered does not stop the host", arguments: plainStartUp)
  func neverAnswered(opcode: HCIOpcode) {
    let controller = ScriptedPeripheral<1>.with { $0.unanswered = opcode }
    for _ in 0..<20 { controller.pass(milliseconds: 1_000) }
    expect(controller.deadline != nil || controller.radio == .advertising)
    controller.behaviour.unanswered = nil
    for _ in 0..<5 { controller.pass(milliseconds: 1_000) }
    expect(controller.radio, is: .advertising)
  }

  @Test(
    "After a refused command, the host goes on, or starts again after 2 s", arguments: plainStartUp)
  func refused(opcode: HCIOpcode) {
    let controller = ScriptedPeripheral<1>.with { $0.refused = (opcode, .hardwareFailure) }
    controller.behaviour.refused = nil
    if controller.radio != .advertising {
      expect(controller.radio, is: .fault(.refused(opcode, .hardwareFailure)))
      expect(controller.deadline, is: controller.now.advanced(by: 2_000))
      controller.pass(milliseconds: 2_000)
    } else {
      expect(controller.commands.filter { $0 == .reset }.count, is: 1)
    }
    expect(controller.radio, is: .advertising)
    controller.connect()
    controller.exchange([0x0A, 0x03, 0x00], gives: [0x0B] + Array("Test".utf8))
  }

  @Test("Without LE buffers, the shared buffers are used", arguments: [(0, 4), (27, 0), (0, 0)])
  func sharedBuffers(length: UInt16, count: UInt8) {
    var behaviour = ControllerBehaviour()
    behaviour.leBuffers = (length, count)
    behaviour.buffers = (64, 2)
    behaviour.completesPackets = false
    let controller = ScriptedPeripheral<1>(behaviour)
    expect(controller.commands.contains(.readBufferSize))
    controller.connect()
    controller.application.values[0] = [UInt8](counting: 22)
    for _ in 0..<3 { controller.send([0x0A, 0x0D, 0x00]) }
    // Two buffers; 4 (L2CAP) + 23 = 27 bytes are under 64, so each response is one packet.
    expect(controller.aclPackets.count, is: 2)
  }

  @Test(
    "A buffer size below 27 bytes is taken as 27",
    arguments: [(1, 27), (26, 27), (27, 27), (28, 28), (251, 251), (65_535, 517)])
  func bufferLength(stated: UInt16, longest: Int) {
    let controller = ScriptedPeripheral<1>.with { $0.leBuffers = (stated, 8) }
    controller.connect()
    controller.exchangeMTU(517)
    controller.application.values[0] = [UInt8](counting: 512)
    controller.exchange([0x0A, 0x0D, 0x00], gives: [0x0B] + [UInt8](counting: 512))
    // The whole frame: 4 (L2CAP) + 1 (opcode) + 512 = 517.
    expect(controller.aclPackets.map { $0.count - 5 }.max(), is: longest)
  }

  @Test("The start-up succeeds with truncated answers", arguments: 0...12)
  func cutAnswers(bytes: Int) {
    let controller = ScriptedPeripheral<1>.with { $0.cutsAnswersBy = bytes }
    expect(controller.radio, is: .advertising)
    controller.connect()
    controller.exchange([0x0A, 0x03, 0x00], gives: [0x0B] + Array("Test".utf8))
  }

  @Test("Command events with wrong lengths are ignored")
  func cutEvents() {
    let controller = ScriptedPeripheral<1>.with { $0.unanswered = .reset }
    let complete: [UInt8] = [0x04, 0x0E, 4, 1, 0x03, 0x0C, 0x00]
    for cut in truncations(of: complete) + [complete + [0x00]] { controller.receive(cut) }
    for length in 0..<3 {
      controller.receive([0x04, 0x0E, UInt8(length)] + complete[3..<3 + length])
      controller.receive([0x04, 0x0F, UInt8(length)] + complete[3..<3 + length])
    }
    expect(controller.commands, is: [.reset])
    controller.behaviour.unanswered = nil
    controller.receive(complete)
    expect(controller.radio, is: .advertising)
  }

  @Test("A Hardware Error during the start-up restarts it", arguments: 1...10)
  func hardwareError(commandCount: Int) {
    let controller = ScriptedPeripheral<1>(starts: false)
    controller.host.start(at: controller.now)
    for _ in 0..<commandCount { controller.nextPacket().map(controller.answer) }
    controller.host.receive([0x04, 0x10, 1, 0x42].span, at: controller.now)
    expect(controller.radio, is: .fault(.hardwareError(0x42)))
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 0)
    expect(controller.commands, is: plainStartUp)
    expect(controller.radio, is: .advertising)
  }
}

@Suite("Host: its own address")
struct OwnAddressTests {
  private static let publicBytes: [UInt8] = [1, 2, 3, 4, 5, 6]

  @Test(
    "It is public or random, as the configuration and the controller determine",
    arguments: [
      Row("public", (.public, publicBytes, false)),
      Row("random", (.random(randomAddress), publicBytes, true)),
      Row("automatic, public", (.automatic(orRandom: randomAddress), publicBytes, false)),
      Row(
        "automatic, without a public one",
        (.automatic(orRandom: randomAddress), [0, 0, 0, 0, 0, 0], true)),
    ] as [Row<(OwnAddress, [UInt8], Bool)>])
  func address(row: Row<(OwnAddress, [UInt8], Bool)>) {
    let (address, publicAddress, isRandom) = row.value
    var behaviour = ControllerBehaviour()
    behaviour.publicAddress = publicAddress
    let controller = ScriptedPeripheral<1>(behaviour, address: address)
    expect(
      controller.address,
      is: isRandom ? randomAddress : DeviceAddress(kind: .public, bytes: [1, 2, 3, 4, 5, 6]))
    expect(controller.parameters(of: .leSetAdvertisingParameters).first?[5], is: isRandom ? 1 : 0)
    expect(
      controller.parameters(of: .leSetRandomAddress), is: isRandom ? [[6, 5, 4, 3, 2, 0xC1]] : [])
  }
}
