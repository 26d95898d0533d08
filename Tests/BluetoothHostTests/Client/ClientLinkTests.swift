import BluetoothHost
import Expectations

private let scenarios: [HostScenario] = [
  Scenario(
    "cuts requests to the size of the controller's buffers, and waits for free ones",
    on: { ScriptedCentral<1>.connected { $0.leBuffers = (27, 2) } },
    .answer([[0x03, 0x05, 0x02]]), .perform(.exchangeMTU), .forget, .set(\.completesPackets, false),
    .perform(.write(handle(7), byteCount: 100), writing: [UInt8](counting: 100)),
    // 4 (header) + 3 (opcode, handle) + 100 = 107 = 27 + 27 + 27 + 26; two buffers
    .packets(2), .completePackets(), .packets(3), .completePackets(9),
    // 5 (ACL header) of each, and the boundary flag in its second handle byte
    .also { host in expect(host.aclPackets.map { $0.count - 5 }, is: [27, 27, 27, 26]) },
    .also { host in expect(host.aclPackets.map { $0[2] >> 4 }, is: [0, 1, 1, 1]) },
    .pdus([0x12, 7, 0] + [UInt8](counting: 100))),
  Scenario(
    "links take turns", on: { ScriptedCentral<2>.connected { $0.leBuffers = (251, 1) } },
    .connect(to: .numbered(3)), .set(\.completesPackets, false),
    .also { _ = $0.begin(.writeWithoutResponse(handle(7), byteCount: 1), at: 0) },
    .also { _ = $0.begin(.writeWithoutResponse(handle(7), byteCount: 1), at: 1) }, .run,
    .also { host in
      for link: UInt16 in [0x40, 0x41, 0x40, 0x41] {
        _ = host.begin(.writeWithoutResponse(handle(7), byteCount: 1), at: Int(link - 0x40))
        host.receive(Events.completedPackets(of: link))
      }
    },
    .also { host in expect(host.aclPackets.map { $0[1] }, is: [0x40, 0x41, 0x40, 0x41, 0x40]) }),
  Scenario(
    "delivers notifications and indications, and confirms indications",
    .send([0x1B, 7, 0, 1, 2]), .frames(), .send([0x1D, 8, 0]), .pdus([0x1E]),
    .client(.notified(handle(7), [1, 2]), .notified(handle(8), []))),
  Scenario(
    "PDUs with unknown opcodes are ignored",
    .perform(.read(handle(7))), .forget,
    // 0x23: Multiple Handle Value Notification, which this client has not asked for.
    .also { host in
      for opcode in [0x15, 0x1F, 0x23, 0x3F, 0x41, 0x53, 0xFF] as [UInt8] {
        host.send([opcode, 1, 0, 1, 0, 0x41])
      }
    },
    .client(), .frames(), .links(1)),
  Scenario(
    "a notification does not answer a request",
    .perform(.read(handle(7))), .send([0x1B, 7, 0, 1]), .send([0x0B, 9]),
    .client(.notified(handle(7), [1]), .read([9], from: 0), .ended(.read(handle(7)), nil))),
  Scenario(
    "a confirmation precedes the next request, and is never sent within one",
    on: { ScriptedCentral<1>.connected { $0.leBuffers = (27, 1) } },
    .answer([[0x03, 0x05, 0x02]]), .perform(.exchangeMTU), .answer([]), .forget,
    .set(\.completesPackets, false),
    .perform(.write(handle(7), byteCount: 40), writing: [UInt8](counting: 40)),
    .send([0x1D, 8, 0, 1]), .set(\.completesPackets, true), .completePackets(),
    .pdus([0x12, 7, 0] + [UInt8](counting: 40), [0x1E]), .send([0x13]), .forget,
    .set(\.completesPackets, false), .perform(.writeWithoutResponse(handle(7), byteCount: 0)),
    .perform(.read(handle(9))), .send([0x1D, 8, 0, 1]), .set(\.completesPackets, true),
    .completePackets(), .pdus([0x52, 7, 0], [0x1E], [0x0A, 9, 0])),
  Scenario(
    "a peer that floods gets as many responses as there is room for, and requests go out",
    on: { ScriptedCentral<1>.connected { $0.leBuffers = (251, 1) } },
    .set(\.completesPackets, false), .repeat(1_000, .send([0x02, 0x17, 0x00])),
    .repeat(1_000, .send([0x1D, 0x03, 0x00, 0x01])), .also { expect($0.frames.count, is: 1) },
    .perform(.read(handle(3))), .set(\.completesPackets, true), .completePackets(),
    .also { expect($0.pdus().suffix(2), is: [[0x1E], [0x0A, 0x03, 0x00]]) },
    // 1 that was in the controller, and 12 frames of 4 (header) + 5 = 9 bytes in room for 108
    .pduCount(1 + 12 + 2)),
  Scenario(
    "frames of other channels are ignored",
    .send([1, 2, 3, 4], channel: 0x0040), .frames(), .client()),
]

/// Core Specification, Vol 3, Part F, 3.3.3.
private let timeouts: [HostScenario] = [
  Scenario(
    "30 s without a response end the link",
    .perform(.read(handle(7))), .pass(29_999), .client(), .pass(1),
    .client(.ended(.read(handle(7)), .timedOut), .disconnected(0, .connectionTerminatedByLocalHost))
  ),
  Scenario(
    "each request has its own 30 s, and a response ends the wait",
    .perform(.read(handle(7))),
    .pass(29_000), .send([0x0B] + [UInt8](repeating: 0x41, count: 22)),
    .repeat(3, .pass(29_000), .send([0x0D] + [UInt8](repeating: 0x41, count: 22))),
    .pduCount(5), .send([0x0D]), .endings(nil), .pass(29_999), .pass(29_999), .links(1), .client()),
  Scenario(
    "the 30 s begin when the controller has the whole request",
    on: { ScriptedCentral<1>.connected { $0.leBuffers = (27, 1) } },
    .answer([[0x03, 0x05, 0x02]]), .perform(.exchangeMTU), .answer([]), .forgetClient,
    .set(\.completesPackets, false),
    .perform(.write(handle(7), byteCount: 40), writing: [UInt8](counting: 40)), .pass(1_000),
    .set(\.completesPackets, true), .completePackets(), .pass(29_999), .client(), .pass(1),
    .endings(.timedOut)),
  Scenario(
    "a response that comes after its 30 s is ignored",
    .set(\.completesDisconnections, false), .perform(.read(handle(7))), .pass(30_000),
    .endings(.timedOut), .send([0x0B, 1]), .client(), .cannotPerform(.read(handle(7)))),
]

private let command = ClientOperation.writeWithoutResponse(handle(3), byteCount: 0)

/// What a link has to send when it has used its share, and the host's next deadline.
private let shares: [HostScenario] = [
  // 200 × 10 = 2,000 ms of supervision + 2 s.
  Scenario(
    "a request", .perform(command), .perform(.read(handle(7))), .packets(1), .deadline(4_000)),
  Scenario(
    "a confirmation", .perform(command), .send([0x1D, 8, 0, 1]), .packets(1), .deadline(4_000)),
  Scenario(
    "a confirmation, while a response is awaited",
    .perform(.read(handle(7))), .send([0x1D, 8, 0, 1]), .packets(1), .deadline(4_000)),
  // No deadline of its own: the check after a minute, and the 30 s of a request.
  Scenario("nothing", .perform(command), .packets(1), .deadline(60_000)),
  Scenario(
    "nothing, while a response is awaited",
    .perform(.read(handle(7))), .packets(1), .deadline(30_000)),
]

/// A Connection Parameter Update Request with the identifier 9.
private func request(
  _ minimum: UInt16, _ maximum: UInt16, _ latency: UInt16, _ timeout: UInt16
) -> [UInt8] { [0x12, 9, 8, 0] + words(minimum, maximum, latency, timeout) }

/// LE Remote Connection Parameter Request: Vol 4, Part E, 7.7.65.6.
private func event(latency: UInt16) -> [UInt8] {
  [0x04, 0x3E, 11, 0x06, 0x40, 0x00] + words(24, 40, latency, 400)
}

/// Connection parameters that a peripheral requests.
private let parameters: [HostScenario] = [
  Scenario(
    "acceptable parameters are accepted, and sent to the controller",
    .send(request(24, 40, 0, 400), channel: 0x0005), .frames([0x13, 9, 2, 0, 0, 0]),
    .sent(.leConnectionUpdate, [0x40, 0, 24, 0, 40, 0, 0, 0, 0x90, 0x01, 0, 0, 0, 0])),
  Scenario(
    "others are refused",
    .send(request(41, 40, 0, 400), channel: 0x0005), .frames([0x13, 9, 2, 0, 1, 0]),
    .sent(.leConnectionUpdate)),
  Scenario(
    "parameters requested by the peer's controller are answered, too",
    .receive(event(latency: 0)), .lastCommands(.leRemoteConnectionParameterRequestReply),
    .receive(event(latency: 500)),
    .lastCommands(.leRemoteConnectionParameterRequestNegativeReply)),
]

@Suite("The links of a client")
struct ClientLinkTests {
  @Test("The links of a client", arguments: scenarios + timeouts + parameters)
  func scenario(_ scenario: HostScenario) throws {
    try scenario.run(on: ScriptedCentral<1>.connected())
  }

  @Test("A link that has more to send than its share has a deadline", arguments: shares)
  func share(_ scenario: HostScenario) throws {
    // Two buffers: one is reserved for another link.
    let central = ScriptedCentral<2>.connected { $0.leBuffers = (27, 2) }
    central.completesPackets = false
    try scenario.run(on: central)
  }

  @Test("a parameter request of a wrong length is rejected; without an identifier it is ignored")
  func truncated() {
    let whole = request(24, 40, 0, 400)
    for length in Array(0..<whole.count) + [whole.count + 1] {
      let central = ScriptedCentral<1>.connected()
      central.send(Array((whole + [0]).prefix(length)), channel: 0x0005)
      // Command Reject, reason 0x0000: not understood.
      expect(central.frames.map(\.payload), is: length < 2 ? [] : [[0x01, 9, 2, 0, 0x00, 0x00]])
      expect(!central.commands.contains(.leConnectionUpdate))
    }
  }

  @Test("writes without response go out in order as buffers become free")
  func commands() {
    let central = ScriptedCentral<1>.connected { $0.leBuffers = (251, 2) }
    central.completesPackets = false
    var endings = 0
    for number in UInt8(0)..<100 {
      expect(central.perform(.writeWithoutResponse(handle(3), byteCount: 1), writing: [number]))
      endings += central.takeEvents().endings.count
      // Two are in the controller; the third has begun, and ends when it has room.
      if number == 1 { expect(endings, is: 2) }
      if number >= 2 {
        expect(endings == number)
        central.receive(Events.completedPackets(of: central.lastHandle))
        endings += central.takeEvents().endings.count
      }
    }
    expect(central.pdus().map { $0.last }, is: (0..<100).map { UInt8($0) })
    expect(endings, is: 100)
  }

  @Test("reassembles responses from fragments of every length")
  func reassembly() {
    let value = [UInt8](counting: 200)
    for length in 1...50 {
      let central = ScriptedCentral<1>.connected { $0.fragmentLength = length }
      central.peer = { $0[0] == 0x02 ? [[0x03, 0x05, 0x02]] : [[0x0B] + value] }
      central.perform(.exchangeMTU)
      central.perform(.read(handle(7)))
      expect(central.takeEvents().value, is: value)
    }
  }

  @Test("a notification without a handle is ignored", arguments: [0x1B, 0x1D] as [UInt8])
  func truncatedValues(opcode: UInt8) {
    let central = ScriptedCentral<1>.connected()
    central.send([opcode])
    central.send([opcode, 7])
    expect(central.takeEvents(), is: [])
    expect(central.frames.isEmpty)
  }

  @Test("the peer's requests are refused, and its commands ignored")
  func peerClient() {
    let central = ScriptedCentral<1>.connected()
    for opcode in [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x10, 0x12, 0x16, 0x18, 0x20, 0x3E]
      as [UInt8]
    {
      central.send([opcode, 1, 2, 3, 4])
      expect(central.pdus().last, is: [0x01, opcode, 0, 0, 0x06])
    }
    let count = central.frames.count
    for opcode in [0x52, 0xD2, 0x7E, 0x1E] as [UInt8] { central.send([opcode, 1, 2]) }
    expect(central.frames.count, is: count)
  }
}
