import Testing

@testable import BluetoothHost

/// The commands that set up a controller with LE buffers of its own, for a public address.
private let plainStartUp: [HCIOpcode] = [
  .reset, .readBDADDR, .setEventMask, .leSetEventMask, .leReadBufferSize,
  .leReadLocalSupportedFeatures, .leSetAdvertisingParameters, .leSetAdvertisingData,
  .leSetScanResponseData, .leSetAdvertisingEnable,
]

private let randomAddress = DeviceAddress(kind: .random, bytes: [6, 5, 4, 3, 2, 0xC1])

@Suite("Host: start-up")
struct StartUpTests {
  @Test("An obedient controller is set up, and advertises")
  func plain() {
    let controller = ScriptedController<2>()
    #expect(controller.commands == plainStartUp)
    #expect(controller.radio == .advertising)
    // It was starting from the first, which is no change to tell of.
    #expect(controller.events == [.radio(.silent), .radio(.advertising)])
    // Then the host asks whether it still advertises.
    #expect(controller.deadline == controller.now.advanced(by: 30_000))
  }

  @Test("What each command says")
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

  @Test("A host that was not started says nothing, whatever the controller says")
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
    "Each command left unanswered once: after 2 s the host goes on, or begins again",
    arguments: plainStartUp)
  func unanswered(opcode: HCIOpcode) {
    var behaviour = ControllerBehaviour()
    behaviour.unanswered = opcode
    let controller = ScriptedController<1>(behaviour)
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
    "Each command left unanswered for ever: the host is never at its end", arguments: plainStartUp)
  func neverAnswered(opcode: HCIOpcode) {
    var behaviour = ControllerBehaviour()
    behaviour.unanswered = opcode
    let controller = ScriptedController<1>(behaviour)
    for _ in 0..<20 { controller.pass(milliseconds: 1_000) }
    #expect(controller.deadline != nil || controller.radio == .advertising)
    controller.behaviour.unanswered = nil
    for _ in 0..<5 { controller.pass(milliseconds: 1_000) }
    #expect(controller.radio == .advertising)
  }

  @Test(
    "Each command refused once: the host goes on, or begins again after 2 s",
    arguments: plainStartUp)
  func refused(opcode: HCIOpcode) {
    var behaviour = ControllerBehaviour()
    behaviour.refused = (opcode, .hardwareFailure)
    let controller = ScriptedController<1>(behaviour)
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

  @Test("A command refused by Command Status is refused all the same")
  func refusedByStatus() {
    var behaviour = ControllerBehaviour()
    behaviour.unanswered = .reset
    let controller = ScriptedController<1>(behaviour)
    controller.status(.unknownCommand, of: .reset)
    #expect(controller.radio == .fault(.refused(.reset, .unknownCommand)))
  }

  @Test("No LE buffers: those that BR/EDR shares are used", arguments: [(0, 4), (27, 0), (0, 0)])
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

  @Test("Buffers that cannot be are taken for the least that there may be")
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
    "Buffers of fewer than 27 bytes are taken for 27; of more, for what they are",
    arguments: [(1, 27), (26, 27), (27, 27), (28, 28), (251, 251), (65_535, 517)])
  func bufferLength(told: UInt16, longest: Int) {
    var behaviour = ControllerBehaviour()
    behaviour.leBuffers = (told, 8)
    let controller = ScriptedController<1>(behaviour)
    controller.connect()
    controller.exchangeMTU(517)
    controller.host.server.application.values[0] = [UInt8](counting: 512)
    controller.expect([0x0A, 0x0D, 0x00], gives: [0x0B] + [UInt8](counting: 512))
    // The whole frame: 4 (L2CAP) + 1 (opcode) + 512 = 517.
    #expect(controller.aclPackets.map { $0.count - 5 }.max() == longest)
  }

  @Test("Answers cut short by so many bytes are survived", arguments: 0...12)
  func cutAnswers(bytes: Int) {
    var behaviour = ControllerBehaviour()
    behaviour.cutsAnswersBy = bytes
    let controller = ScriptedController<1>(behaviour)
    #expect(controller.radio == .advertising)
    controller.connect()
    controller.expect([0x0A, 0x03, 0x00], gives: [0x0B] + Array("Test".utf8))
  }

  @Test("Events of the commands cut short anywhere, or lying about their length, are survived")
  func cutEvents() {
    var behaviour = ControllerBehaviour()
    behaviour.unanswered = .reset
    let controller = ScriptedController<1>(behaviour)
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

  @Test("A controller that takes no more commands is asked again after 2 s")
  func noCredits() {
    var behaviour = ControllerBehaviour()
    behaviour.commandCredits = 0
    let controller = ScriptedController<1>(behaviour)
    #expect(controller.commands == [.reset])
    #expect(controller.deadline == controller.now.advanced(by: 2_000))
    controller.pass(milliseconds: 2_000)
    #expect(controller.commands == [.reset, .readBDADDR])
    // Credits given by an event of their own are taken at once.
    controller.behaviour.commandCredits = 1
    controller.complete(.none, [])
    controller.run()
    #expect(controller.radio == .advertising)
  }

  @Test("An answer to another command than the one sent gives credits, and nothing else")
  func strayAnswer() {
    var behaviour = ControllerBehaviour()
    behaviour.unanswered = .reset
    let controller = ScriptedController<1>(behaviour)
    let deadline = controller.deadline
    controller.pass(milliseconds: 100)
    controller.complete(.readBDADDR, [0x00, 9, 9, 9, 9, 9, 9])
    controller.status(.hardwareFailure, of: .leSetPHY)
    controller.run()
    #expect(controller.commands == [.reset])
    #expect(controller.radio == .starting)
    // The one that was sent has no more time than before.
    #expect(controller.deadline == deadline)
  }

  @Test("A hardware error after each command of the start-up begins it again", arguments: 1...10)
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

  @Test("A hardware error ends every link; the centrals can come again")
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
    var behaviour = ControllerBehaviour()
    behaviour.refused = (.reset, .hardwareFailure)
    let controller = ScriptedController<3>(behaviour)
    controller.behaviour.refused = nil
    controller.complete(.none, [])
    controller.run()
    #expect(controller.commands == [.reset])
  }

}

@Suite("Host: the address that it goes by")
struct OwnAddressTests {
  private func controller(_ address: OwnAddress, public publicAddress: [UInt8])
    -> ScriptedController<1>
  {
    var behaviour = ControllerBehaviour()
    behaviour.publicAddress = publicAddress
    return ScriptedController<1>(behaviour, address: address)
  }

  private func ownAddressType(_ controller: ScriptedController<1>) -> UInt8? {
    controller.parameters(of: .leSetAdvertisingParameters).first?[5]
  }

  @Test("The public one, which needs no command")
  func publicAddress() {
    let controller = controller(.public, public: [1, 2, 3, 4, 5, 6])
    #expect(controller.address == DeviceAddress(kind: .public, bytes: [1, 2, 3, 4, 5, 6]))
    #expect(ownAddressType(controller) == 0x00)
    #expect(controller.parameters(of: .leSetRandomAddress) == [])
  }

  @Test("A random one, whatever the controller has")
  func random() {
    let controller = controller(.random(randomAddress), public: [1, 2, 3, 4, 5, 6])
    #expect(controller.address == randomAddress)
    #expect(ownAddressType(controller) == 0x01)
    #expect(controller.parameters(of: .leSetRandomAddress) == [[6, 5, 4, 3, 2, 0xC1]])
  }

  @Test("The public one where the controller has one")
  func automaticPublic() {
    let controller = controller(
      .automatic(orRandom: randomAddress), public: [1, 2, 3, 4, 5, 6])
    #expect(controller.address == DeviceAddress(kind: .public, bytes: [1, 2, 3, 4, 5, 6]))
    #expect(controller.parameters(of: .leSetRandomAddress) == [])
  }

  @Test("A random one where the controller has none")
  func automaticRandom() {
    let controller = controller(
      .automatic(orRandom: randomAddress), public: [0, 0, 0, 0, 0, 0])
    #expect(controller.address == randomAddress)
    #expect(ownAddressType(controller) == 0x01)
    #expect(controller.parameters(of: .leSetRandomAddress) == [[6, 5, 4, 3, 2, 0xC1]])
  }

  @Test("A random one that the controller refuses: it may have been set before")
  func refused() {
    var behaviour = ControllerBehaviour()
    behaviour.refused = (.leSetRandomAddress, .commandDisallowed)
    let controller = ScriptedController<1>(behaviour, address: .random(randomAddress))
    #expect(controller.radio == .advertising)
  }
}
