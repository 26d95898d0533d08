import BluetoothHost
import Expectations

private let scenarios: [HostScenario] = [
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

/// Core Specification, Vol 3, Part F, 3.3.3.
@Suite("Timeouts of a client's requests")
struct ClientTimeoutTests {
  @Test("Requests end after 30 s", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws {
    try scenario.run(on: ScriptedCentral<1>.connected())
  }
}
