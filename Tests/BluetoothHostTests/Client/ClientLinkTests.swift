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

@Suite("The links of a client")
struct ClientLinkTests {
  @Test("The links of a client", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws {
    try scenario.run(on: ScriptedCentral<1>.connected())
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
