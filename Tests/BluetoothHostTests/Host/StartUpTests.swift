import Testing

@testable import BluetoothHost

/// The commands that set up a controller with LE buffers and a public address.
private let plainStartUp: [HCIOpcode] = [
  .reset, .readBDADDR, .setEventMask, .leSetEventMask, .leReadBufferSize,
  .leReadLocalSupportedFeatures, .leSetAdvertisingParameters, .leSetAdvertisingData,
  .leSetScanResponseData, .leSetAdvertisingEnable,
]

private let randomAddress = DeviceAddress(kind: .random, bytes: [6, 5, 4, 3, 2, 0xC1])

@Suite("Host: start-up")
struct StartUpTests {
  @Test("A controller is set up, and advertises")
  func plain() {
    let controller = ScriptedController<2>()
    #expect(controller.commands == plainStartUp)
    #expect(controller.radio == .advertising)
    // The initial state, starting, is not reported as a change.
    #expect(controller.events == [.radio(.silent), .radio(.advertising)])
    // The check of the advertising.
    #expect(controller.deadline == controller.now.advanced(by: 30_000))
  }

  @Test("The commands have the expected parameters")
  func parameters() {
    let controller = ScriptedController<1>()
    // Bits 4, 7, 15 and 61; bits 0, 2, 4, 5, 6, 9 and 11.
    #expect(
      controller.parameters(of: .setEventMask) == [[0x90, 0x80, 0, 0, 0, 0, 0, 0x20]])
    #expect(controller.parameters(of: .leSetEventMask) == [[0x75, 0x0A, 0, 0, 0, 0, 0, 0]])
    #expect(
      controller.parameters(of: .leSetAdvertisingParameters) == [
        // 100 ms / 0.625 = 160; 150 / 0.625 = 240; ADV_IND; public; no peer; all channels; anyone
        [160, 0, 240, 0, 0x00, 0x00, 0x00, 0, 0, 0, 0, 0, 0, 0b111, 0x00]
      ])
    let advertisement: [UInt8] =
      [0x02, 0x01, 0x06, 17, 0x07] + testServiceBytes + [5, 0x09] + Array("Test".utf8)
    // 3 (flags) + 18 (service) + 6 (name) = 27, padded to 31
    #expect(
      controller.parameters(of: .leSetAdvertisingData) == [[27] + advertisement + [0, 0, 0, 0]])
    #expect(
      controller.parameters(of: .leSetScanResponseData) == [[UInt8](repeating: 0, count: 32)])
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x01]])
  }

  @Test("A host that was not started ignores all events")
  func notStarted() {
    let controller = ScriptedController<1>(starts: false)
    controller.run()
    controller.connect()
    controller.receive([0x04, 0x10, 1, 0x42])
    controller.complete(.reset, [0x00])
    controller.pass(milliseconds: 60_000)
    #expect(controller.commands == [])
    #expect(controller.events == [])
    #expect(controller.deadline == nil)
    controller.start()
    #expect(controller.radio == .advertising)
  }

  @Test(
    "After 2 s without an answer to a command, the host goes on or starts again",
    arguments: plainStartUp)
  func unanswered(opcode: HCIOpcode) {
    let controller = ScriptedController<1>.with { $0.unanswered = opcode }
    #expect(controller.commands.last == opcode)
    #expect(controller.deadline == controller.now.advanced(by: 2_000))
    controller.pass(milliseconds: 1_999)
    #expect(controller.commands.last == opcode)
    controller.behaviour.unanswered = nil
    controller.pass(milliseconds: 1)
    let isNeeded =
      opcode == .reset || opcode == .setEventMask
      || opcode.rawValue >= HCIOpcode.leSetAdvertisingParameters.rawValue
    if isNeeded {
      #expect(controller.events.contains(.radio(.fault(.unanswered(opcode)))))
      #expect(controller.commands.filter { $0 == .reset }.count == 2)
    } else {
      #expect(!controller.commands.dropFirst().contains(.reset))
    }
    #expect(controller.radio == .advertising)
    controller.connect()
    controller.expect([0x0A, 0x03, 0x00], gives: [0x0B] + Array("Test".utf8))
  }

  @Test(
    "A command that is never answered does not stop the host", arguments: plainStartUp)
  func neverAnswered(opcode: HCIOpcode) {
    let controller = ScriptedController<1>.with { $0.unanswered = opcode }
    for _ in 0..<20 { controller.pass(milliseconds: 1_000) }
    #expect(controller.deadline != nil || controller.radio == .advertising)
    controller.behaviour.unanswered = nil
    for _ in 0..<5 { controller.pass(milliseconds: 1_000) }
    #expect(controller.radio == .advertising)
  }

  @Test(
    "After a refused command, the host goes on, or starts again after 2 s",
    arguments: plainStartUp)
  func refused(opcode: HCIOpcode) {
    let controller = ScriptedController<1>.with { $0.refused = (opcode, .hardwareFailure) }
    controller.behaviour.refused = nil
    if controller.radio != .advertising {
      #expect(controller.radio == .fault(.refused(opcode, .hardwareFailure)))
      #expect(controller.deadline == controller.now.advanced(by: 2_000))
      controller.pass(milliseconds: 2_000)
    } else {
      #expect(controller.commands.filter { $0 == .reset }.count == 1)
    }
    #expect(controller.radio == .advertising)
    controller.connect()
    controller.expect([0x0A, 0x03, 0x00], gives: [0x0B] + Array("Test".utf8))
  }

  @Test("Command Status can refuse a command")
  func refusedByStatus() {
    let controller = ScriptedController<1>.with { $0.unanswered = .reset }
    controller.status(.unknownCommand, of: .reset)
    #expect(controller.radio == .fault(.refused(.reset, .unknownCommand)))
  }

  @Test("Without LE buffers, the shared buffers are used", arguments: [(0, 4), (27, 0), (0, 0)])
  func sharedBuffers(length: UInt16, count: UInt8) {
    var behaviour = ControllerBehaviour()
    behaviour.leBuffers = (length, count)
    behaviour.buffers = (64, 2)
    behaviour.completesPackets = false
    let controller = ScriptedController<1>(behaviour)
    #expect(controller.commands.contains(.readBufferSize))
    controller.connect()
    controller.host.server.application.values[0] = [UInt8](counting: 22)
    for _ in 0..<3 { controller.send([0x0A, 0x0D, 0x00]) }
    // Two buffers; 4 (L2CAP) + 23 = 27 bytes are under 64, so each response is one packet.
    #expect(controller.aclPackets.count == 2)
  }

  @Test("Invalid buffer sizes are taken as the minimum")
  func nonsenseBuffers() {
    var behaviour = ControllerBehaviour()
    behaviour.leBuffers = (0, 0)
    behaviour.buffers = (0, 0)
    behaviour.completesPackets = false
    let controller = ScriptedController<1>(behaviour)
    controller.connect()
    controller.exchangeMTU(517)
    #expect(controller.aclPackets.count == 1)
    controller.completePackets(of: 0x40)
    controller.host.server.application.values[0] = [UInt8](counting: 512)
    controller.send([0x0A, 0x0D, 0x00])
    #expect(controller.aclPackets.last.map { $0.count - 5 } == 27)
  }

  @Test(
    "A buffer size below 27 bytes is taken as 27",
    arguments: [(1, 27), (26, 27), (27, 27), (28, 28), (251, 251), (65_535, 517)])
  func bufferLength(stated: UInt16, longest: Int) {
    let controller = ScriptedController<1>.with { $0.leBuffers = (stated, 8) }
    controller.connect()
    controller.exchangeMTU(517)
    controller.host.server.application.values[0] = [UInt8](counting: 512)
    controller.expect([0x0A, 0x0D, 0x00], gives: [0x0B] + [UInt8](counting: 512))
    // The whole frame: 4 (L2CAP) + 1 (opcode) + 512 = 517.
    #expect(controller.aclPackets.map { $0.count - 5 }.max() == longest)
  }

  @Test("The start-up succeeds with truncated answers", arguments: 0...12)
  func cutAnswers(bytes: Int) {
    let controller = ScriptedController<1>.with { $0.cutsAnswersBy = bytes }
    #expect(controller.radio == .advertising)
    controller.connect()
    controller.expect([0x0A, 0x03, 0x00], gives: [0x0B] + Array("Test".utf8))
  }

  @Test("Command events with wrong lengths are ignored")
  func cutEvents() {
    let controller = ScriptedController<1>.with { $0.unanswered = .reset }
    let complete: [UInt8] = [0x04, 0x0E, 4, 1, 0x03, 0x0C, 0x00]
    for cut in truncations(of: complete) + [complete + [0x00]] { controller.receive(cut) }
    for length in 0..<3 {
      controller.receive([0x04, 0x0E, UInt8(length)] + complete[3..<3 + length])
      controller.receive([0x04, 0x0F, UInt8(length)] + complete[3..<3 + length])
    }
    #expect(controller.commands == [.reset])
    controller.behaviour.unanswered = nil
    controller.receive(complete)
    #expect(controller.radio == .advertising)
  }

  @Test("A controller without command credits gets the next command after 2 s")
  func noCredits() {
    let controller = ScriptedController<1>.with { $0.commandCredits = 0 }
    #expect(controller.commands == [.reset])
    #expect(controller.deadline == controller.now.advanced(by: 2_000))
    controller.pass(milliseconds: 2_000)
    #expect(controller.commands == [.reset, .readBDADDR])
    // Credits from a separate event are used at once.
    controller.behaviour.commandCredits = 1
    controller.complete(.none, [])
    controller.run()
    #expect(controller.radio == .advertising)
  }

  @Test("An answer to another command gives only credits")
  func strayAnswer() {
    let controller = ScriptedController<1>.with { $0.unanswered = .reset }
    let deadline = controller.deadline
    controller.pass(milliseconds: 100)
    controller.complete(.readBDADDR, [0x00, 9, 9, 9, 9, 9, 9])
    controller.status(.hardwareFailure, of: .leSetPHY)
    controller.run()
    #expect(controller.commands == [.reset])
    #expect(controller.radio == .starting)
    // The deadline of the sent command stays.
    #expect(controller.deadline == deadline)
  }

  @Test("A Hardware Error during the start-up restarts it", arguments: 1...10)
  func hardwareError(commandCount: Int) {
    let controller = ScriptedController<1>(starts: false)
    controller.host.start(at: controller.now)
    for _ in 0..<commandCount {
      if let packet = controller.nextPacket() { controller.answer(packet) }
    }
    controller.host.receive([0x04, 0x10, 1, 0x42].span, at: controller.now)
    #expect(controller.radio == .fault(.hardwareError(0x42)))
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 0)
    #expect(controller.commands == plainStartUp)
    #expect(controller.radio == .advertising)
  }

  @Test("A Hardware Error ends every link; centrals can connect again")
  func hardwareErrorWithLinks() {
    let controller = ScriptedController<2>()
    controller.connect(0x40)
    controller.connect(0x41)
    controller.events = []
    controller.receive([0x04, 0x10, 1, 0x42])
    #expect(
      controller.events == [
        .disconnected(0, .hardwareFailure), .disconnected(1, .hardwareFailure),
        .radio(.fault(.hardwareError(0x42))),
      ])
    controller.pass(milliseconds: 0)
    #expect(controller.radio == .advertising)
    controller.connect(0x40)
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("A stray answer does not hasten a reset that waits")
  func hastenedReset() {
    let controller = ScriptedController<3>.with { $0.refused = (.reset, .hardwareFailure) }
    controller.behaviour.refused = nil
    controller.complete(.none, [])
    controller.run()
    #expect(controller.commands == [.reset])
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
    let controller = ScriptedController<1>(behaviour, address: address)
    #expect(
      controller.address
        == (isRandom
          ? randomAddress : DeviceAddress(kind: .public, bytes: [1, 2, 3, 4, 5, 6])))
    #expect(
      controller.parameters(of: .leSetAdvertisingParameters).first?[5] == (isRandom ? 1 : 0))
    #expect(
      controller.parameters(of: .leSetRandomAddress)
        == (isRandom ? [[6, 5, 4, 3, 2, 0xC1]] : []))
  }

  @Test("A refused random address is taken as set before")
  func refused() {
    var behaviour = ControllerBehaviour()
    behaviour.refused = (.leSetRandomAddress, .commandDisallowed)
    let controller = ScriptedController<1>(behaviour, address: .random(randomAddress))
    #expect(controller.radio == .advertising)
  }
}
