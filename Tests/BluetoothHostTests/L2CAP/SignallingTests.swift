import Testing

/// A signalling command, which bytes it may have, and the answer to it. All have the identifier
/// 0x07.
private struct Command: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let code: UInt8
  let data: [UInt8]
  /// `nil` for none.
  let response: [UInt8]?
}

/// Command Reject, reason 0x0000: not understood.
private let notUnderstood: [UInt8] = [0x01, 0x07, 2, 0, 0x00, 0x00]

private let commands = [
  Command(
    testDescription: "Disconnection Request, for a channel that there is not", code: 0x06,
    data: [0x40, 0x00, 0x41, 0x00],
    // Reason 0x0002, with both its numbers.
    response: [0x01, 0x07, 6, 0, 0x02, 0x00, 0x40, 0x00, 0x41, 0x00]),
  Command(
    testDescription: "Connection Parameter Update Request, which only a peripheral sends",
    code: 0x12, data: [24, 0, 40, 0, 0, 0, 0x90, 0x01], response: notUnderstood),
  Command(
    testDescription: "LE Credit Based Connection Request", code: 0x14,
    data: [0x80, 0x00, 0x40, 0x00, 0x17, 0x00, 0x17, 0x00, 0x01, 0x00],
    // Result 0x0002: no such SPSM.
    response: [0x15, 0x07, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x00]),
  Command(
    testDescription: "Credit Based Connection Request for one channel", code: 0x17,
    data: [0x80, 0x00, 0x40, 0x00, 0x40, 0x00, 0x01, 0x00, 0x40, 0x00],
    response: [0x18, 0x07, 10, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x00, 0, 0]),
  Command(
    testDescription: "Credit Based Connection Request for five channels", code: 0x17,
    data: [0x80, 0x00, 0x40, 0x00, 0x40, 0x00, 0x01, 0x00] + [UInt8](repeating: 0x40, count: 10),
    // 2 (MTU) + 2 (MPS) + 2 (credits) + 2 (result) + 5 × 2 = 18
    response: [0x18, 0x07, 18, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x00] + [UInt8](repeating: 0, count: 10)),
  Command(
    testDescription: "Credit Based Reconfigure Request", code: 0x19,
    data: [0x40, 0x00, 0x40, 0x00, 0x40, 0x00],
    // Result 0x0003: no such channel.
    response: [0x1A, 0x07, 2, 0, 0x03, 0x00]),
  Command(
    testDescription: "Connection Request of BR/EDR", code: 0x02, data: [0x01, 0x00, 0x40, 0x00],
    response: notUnderstood),
  Command(
    testDescription: "a code that is not assigned", code: 0xFF, data: [1, 2, 3, 4],
    response: notUnderstood),
  Command(
    testDescription: "Command Reject", code: 0x01, data: [0x00, 0x00], response: nil),
  Command(
    testDescription: "Disconnection Response", code: 0x07, data: [0x40, 0x00, 0x41, 0x00],
    response: nil),
  Command(
    testDescription: "Connection Parameter Update Response", code: 0x13, data: [0x01, 0x00],
    response: nil),
  Command(
    testDescription: "LE Credit Based Connection Response", code: 0x15,
    data: [UInt8](repeating: 0, count: 10), response: nil),
  Command(
    testDescription: "Flow Control Credit", code: 0x16, data: [0x40, 0x00, 0x01, 0x00],
    response: nil),
  Command(
    testDescription: "Credit Based Connection Response", code: 0x18,
    data: [UInt8](repeating: 0, count: 10), response: nil),
  Command(
    testDescription: "Credit Based Reconfigure Response", code: 0x1A, data: [0x00, 0x00],
    response: nil),
]

@Suite("L2CAP signalling, and pairing")
struct SignallingTests {
  private func connected() -> ScriptedController<1> {
    let controller = ScriptedController<1>()
    controller.connect()
    return controller
  }

  @Test("A command is answered, or is itself an answer", arguments: commands)
  fileprivate func answer(command: Command) {
    let frame = [command.code, 0x07] + Array(little: UInt16(command.data.count)) + command.data
    let responses = connected().exchange(frame, channel: 0x0005)
    #expect(responses == (command.response.map { [$0] } ?? []))
  }

  @Test("A command cut short at any length, or longer than it states", arguments: commands)
  fileprivate func truncated(command: Command) {
    let frame = [command.code, 0x07] + Array(little: UInt16(command.data.count)) + command.data
    let controller = connected()
    for cut in truncations(of: frame) + [frame + [0xFF]] {
      let responses = controller.exchange(cut, channel: 0x0005)
      // Without code and identifier there is nothing to answer.
      let isAnswered = command.response != nil && cut.count >= 2
      #expect(responses == (isAnswered ? [notUnderstood] : []), "\(cut.count) bytes")
    }
  }

  @Test(
    "A command whose data has an unfit length, though it states it rightly", arguments: commands)
  fileprivate func unfit(command: Command) {
    let controller = connected()
    for length in 0..<command.data.count {
      let frame = [command.code, 0x07, UInt8(length), 0] + command.data[..<length]
      let responses = controller.exchange(frame, channel: 0x0005)
      #expect(responses.count == (command.response == nil ? 0 : 1), "\(length) bytes")
      #expect(responses.allSatisfy { $0[1] == 0x07 }, "the identifier is repeated")
    }
  }

  @Test("The identifier 0x00 is none, and is not answered")
  func identifier0() {
    #expect(connected().exchange([0x14, 0x00, 0, 0], channel: 0x0005) == [])
  }

  @Test("Each identifier is repeated", arguments: 1...255)
  func identifiers(identifier: UInt8) {
    #expect(
      connected().exchange([0x02, identifier, 0, 0], channel: 0x0005)
        == [[0x01, identifier, 2, 0, 0x00, 0x00]])
  }

  @Test("Pairing is refused at once: not supported")
  func pairing() {
    let controller = connected()
    // Pairing Request and Security Request. Vol 3, Part H, 3.5.1 and 3.6.7.
    #expect(
      controller.exchange([0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00], channel: 0x0006)
        == [[0x05, 0x05]])
    #expect(controller.exchange([0x0B, 0x01], channel: 0x0006) == [[0x05, 0x05]])
    #expect(controller.exchange([0x01], channel: 0x0006) == [[0x05, 0x05]], "cut short")
  }

  @Test(
    "What belongs to a pairing that there is not is refused: command not supported",
    arguments: (0x01...0x0E).filter { ![0x01, 0x05, 0x0B].contains($0) })
  func otherPairing(code: UInt8) {
    #expect(connected().exchange([code, 0, 0], channel: 0x0006) == [[0x05, 0x07]])
  }

  @Test(
    "A reserved code is ignored: Vol 3, Part H, 3.3", arguments: [0x00] + (0x0F...0xFF) as [UInt8])
  func reservedPairing(code: UInt8) {
    #expect(connected().exchange([code, 0, 0], channel: 0x0006) == [])
  }

  @Test("A failed pairing, and nothing at all, are not answered")
  func pairingFailed() {
    #expect(connected().exchange([0x05, 0x05], channel: 0x0006) == [])
    #expect(connected().exchange([0x05], channel: 0x0006) == [])
    #expect(connected().exchange([], channel: 0x0006) == [])
  }

  @Test("A central that asks faster than it hears is answered a few times, then again later")
  func flood() {
    var behaviour = ControllerBehaviour()
    behaviour.completesPackets = false
    behaviour.leBuffers = (27, 1)
    let controller = ScriptedController<1>(behaviour)
    controller.connect()
    for identifier: UInt8 in 1...100 {
      controller.send([0x02, identifier, 0, 0], channel: 0x0005)
    }
    controller.behaviour.completesPackets = true
    controller.completePackets(of: 0x40)
    controller.run()
    // One in the controller; 108 / 10 = 10 waited.
    #expect(controller.frames.map { $0.payload[1] } == Array(1...11))
    #expect(
      controller.exchange([0x02, 200, 0, 0], channel: 0x0005) == [[0x01, 200, 2, 0, 0, 0]])
  }
}
