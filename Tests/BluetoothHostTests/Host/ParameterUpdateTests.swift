import Expectations

@testable import BluetoothHost

/// 8 bytes: 24 × 1.25 = 30 ms, 40 × 1.25 = 50 ms, no latency, 400 × 10 = 4 s.
private let request: [UInt8] = [0x12, 0x01, 8, 0, 24, 0, 40, 0, 0, 0, 0x90, 0x01]

private func connected(interval: UInt16) -> ScriptedPeripheral<1> {
  let controller = ScriptedPeripheral<1>()
  controller.connect(interval: interval)
  return controller
}

private let scenarios: [HostScenario] = [
  Scenario(
    "It is requested once, 5 s after the connection", on: { connected(interval: 41) },
    .deadline(5_000), .pass(4_999), .frames(channel: 5), .pass(1), .frames(request, channel: 5),
    .pass(60_000), .frames(request, channel: 5)),
  Scenario(
    "It is not requested if the central has shortened the interval",
    .receive([0x04, 0x3E, 10, 0x03, 0x00, 0x40, 0x00, 24, 0, 0, 0, 72, 0]), .pass(5_000),
    .frames(channel: 5)),
  Scenario(
    "A failed, truncated or unrelated update event changes nothing",
    .receive([0x04, 0x3E, 10, 0x03, 0x3B, 0x40, 0x00, 24, 0, 0, 0, 72, 0]),
    .receive([0x04, 0x3E, 10, 0x03, 0x00, 0x41, 0x00, 24, 0, 0, 0, 72, 0]),
    .also { host in
      for length in 1..<10 {
        let whole: [UInt8] = [0x03, 0x00, 0x40, 0x00, 24, 0, 0, 0, 72, 0]
        host.receive([0x04, 0x3E, UInt8(length)] + whole[..<length])
      }
    },
    .pass(5_000), .frames(request, channel: 5)),
  Scenario(
    "The 5 s begin again for the next link",
    .pass(4_000), .disconnect(), .connect(interval: 80), .pass(4_999), .frames(channel: 5),
    .pass(1), .frames(request, channel: 5)),
]

@Suite("Host: asking for a shorter connection interval")
struct ParameterUpdateTests {
  @Test("The request for a shorter interval", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: connected(interval: 80)) }

  @Test("It is not requested if the interval is short enough", arguments: [6, 24, 40])
  func shortEnough(interval: UInt16) {
    let controller = connected(interval: interval)
    controller.pass(milliseconds: 60_000)
    expect(controller.frames, is: [])
  }

  @Test(
    "Every response of the central leaves the link unchanged",
    arguments: [
      [0x13, 0x01, 2, 0, 0x00, 0x00],  // accepted
      [0x13, 0x01, 2, 0, 0x01, 0x00],  // refused
      [0x01, 0x01, 2, 0, 0x00, 0x00],  // not understood
      [0x13, 0x01],
    ] as [[UInt8]])
  func answered(answer: [UInt8]) {
    let controller = connected(interval: 80)
    controller.pass(milliseconds: 5_000)
    expect(controller.exchange(answer, channel: 0x0005), is: [])
    controller.pass(milliseconds: 60_000)
    expect(controller.frames, is: [Frame(handle: 0x40, channel: 0x0005, payload: request)])
    expect(controller.connectionCount, is: 1)
  }
}
