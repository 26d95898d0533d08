import Expectations

/// A signalling command with the identifier 0x07, and its response; `nil` for none.
private typealias Command = (code: UInt8, data: [UInt8], response: [UInt8]?)

private func frame(_ command: Command) -> [UInt8] {
  [command.code, 0x07] + Array(little: UInt16(command.data.count)) + command.data
}

/// Command Reject, reason 0x0000: not understood.
private let notUnderstood: [UInt8] = [0x01, 0x07, 2, 0, 0x00, 0x00]

private let commands: [Row<Command>] = [
  // Reason 0x0002, with both CIDs.
  Row(
    "Disconnection Request for an unknown channel",
    (0x06, [0x40, 0, 0x41, 0], [0x01, 0x07, 6, 0, 0x02, 0x00, 0x40, 0x00, 0x41, 0x00])),
  Row(
    "Connection Parameter Update Request, which only a peripheral sends",
    (0x12, [24, 0, 40, 0, 0, 0, 0x90, 0x01], notUnderstood)),
  // Result 0x0002: no such SPSM.
  Row(
    "LE Credit Based Connection Request",
    (
      0x14, [0x80, 0x00, 0x40, 0x00, 0x17, 0x00, 0x17, 0x00, 0x01, 0x00],
      [0x15, 0x07, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x00]
    )),
  Row(
    "Credit Based Connection Request for one channel",
    (
      0x17, [0x80, 0x00, 0x40, 0x00, 0x40, 0x00, 0x01, 0x00, 0x40, 0x00],
      [0x18, 0x07, 10, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x00, 0, 0]
    )),
  // CID 0 for each of the two requested channels.
  Row(
    "Credit Based Connection Request for two channels",
    (
      0x17, [0x80, 0, 0x40, 0, 0x40, 0, 1, 0, 0x40, 0, 0x41, 0],
      [0x18, 0x07, 12, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0]
    )),
  // 2 (MTU) + 2 (MPS) + 2 (credits) + 2 (result) + 5 × 2 = 18
  Row(
    "Credit Based Connection Request for five channels",
    (
      0x17, [0x80, 0, 0x40, 0, 0x40, 0, 0x01, 0] + [UInt8](repeating: 0x40, count: 10),
      [0x18, 0x07, 18, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x00] + [UInt8](repeating: 0, count: 10)
    )),
  // Result 0x0003: no such channel.
  Row(
    "Credit Based Reconfigure Request",
    (0x19, [0x40, 0x00, 0x40, 0x00, 0x40, 0x00], [0x1A, 0x07, 2, 0, 0x03, 0x00])),
  Row("Connection Request of BR/EDR", (0x02, [0x01, 0x00, 0x40, 0x00], notUnderstood)),
  Row("a code that is not assigned", (0xFF, [1, 2, 3, 4], notUnderstood)),
  Row("Command Reject", (0x01, [0x00, 0x00], nil)),
  Row("Disconnection Response", (0x07, [0x40, 0x00, 0x41, 0x00], nil)),
  Row("Connection Parameter Update Response", (0x13, [0x01, 0x00], nil)),
  Row("LE Credit Based Connection Response", (0x15, [UInt8](repeating: 0, count: 10), nil)),
  Row("Flow Control Credit", (0x16, [0x40, 0x00, 0x01, 0x00], nil)),
  Row("Credit Based Connection Response", (0x18, [UInt8](repeating: 0, count: 10), nil)),
  Row("Credit Based Reconfigure Response", (0x1A, [0x00, 0x00], nil)),
]

@Suite("L2CAP signalling, and pairing")
struct SignallingTests {
  private func connected() -> ScriptedPeripheral<1> {
    let controller = ScriptedPeripheral<1>()
    controller.connect()
    return controller
  }

  @Test("A command gets its response, and a response gets none", arguments: commands)
  fileprivate func answer(row: Row<Command>) {
    let responses = row.value.response.map { [$0] } ?? []
    let frame = frame(row.value)
    expect(connected().exchange(frame, channel: 0x0005), is: responses)
    let central = ScriptedCentral<1>.connected()
    // A central accepts the parameters.
    expect(
      central.exchange(frame, channel: 0x0005),
      is: row.value.code == 0x12 ? [[0x13, 0x07, 2, 0, 0x00, 0x00]] : responses)
  }

  @Test("A command of a wrong length is not understood", arguments: commands)
  fileprivate func truncated(row: Row<Command>) {
    let controller = connected()
    let frame = frame(row.value)
    for cut in truncations(of: frame) + [frame + [0xFF]] {
      let responses = controller.exchange(cut, channel: 0x0005)
      // Without code and identifier there is no response.
      let isAnswered = row.value.response != nil && cut.count >= 2
      expect(responses, is: isAnswered ? [notUnderstood] : [], "\(cut.count) bytes")
    }
  }

  @Test("A command with too little data is answered with its identifier", arguments: commands)
  fileprivate func unfit(row: Row<Command>) {
    let controller = connected()
    let (code, data, response) = row.value
    for cut in truncations(of: data) {
      let responses = controller.exchange(frame((code, cut, nil)), channel: 0x0005)
      expect(responses.count, is: response == nil ? 0 : 1, "\(cut.count) bytes")
      expect(responses.allSatisfy { $0[1] == 0x07 }, "the identifier is repeated")
    }
  }

  @Test("Each code except those of responses and credits is rejected without data")
  func codes() {
    let unanswered: Set<UInt8> = [0x01, 0x07, 0x13, 0x15, 0x16, 0x18, 0x1A]
    let controller = connected()
    for code: UInt8 in 0x00...0xFF {
      expect(
        controller.exchange([code, 0x07, 0, 0], channel: 0x0005),
        is: unanswered.contains(code) ? [] : [notUnderstood], "code \(code)")
    }
  }

  @Test("A command with the identifier 0x00 is not answered")
  func identifier0() { expect(connected().exchange([0x14, 0x00, 0, 0], channel: 0x0005), is: []) }

  @Test("The response repeats the identifier", arguments: 1...255)
  func identifiers(identifier: UInt8) {
    expect(
      connected().exchange([0x02, identifier, 0, 0], channel: 0x0005),
      is: [[0x01, identifier, 2, 0, 0x00, 0x00]])
  }

  @Test("Pairing is refused as not supported")
  func pairing() {
    let controller = connected()
    // Pairing Request and Security Request. Vol 3, Part H, 3.5.1 and 3.6.7.
    for pdu: [UInt8] in [[0x01, 3, 0, 1, 16, 0, 0], [0x0B, 0x01], [0x01]] {
      expect(controller.exchange(pdu, channel: 0x0006), is: [[0x05, 0x05]], "\(pdu)")
    }
  }

  @Test("A central that floods commands gets as many responses as there is room for")
  func flood() {
    var behaviour = ControllerBehaviour()
    behaviour.completesPackets = false
    behaviour.leBuffers = (27, 1)
    let controller = ScriptedPeripheral<1>(behaviour)
    controller.connect()
    for identifier: UInt8 in 1...100 { controller.send([0x02, identifier, 0, 0], channel: 0x0005) }
    controller.behaviour.completesPackets = true
    controller.completePackets(of: 0x40)
    // One in the controller, and 108 / 10 = 10 in the queue.
    expect(controller.frames.map { $0.payload[1] }, is: Array(1...11))
    expect(controller.exchange([0x02, 200, 0, 0], channel: 0x0005), is: [[0x01, 200, 2, 0, 0, 0]])
  }
}
