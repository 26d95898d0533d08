import Expectations

@testable import BluetoothHost

private let minute: UInt32 = 60_000

/// A host with a capacity of two connections, a limit of `limit` minutes, and two centrals.
private func full(limit: UInt16?, service: BluetoothUUID? = .testService) -> ScriptedPeripheral<2> {
  let controller = ScriptedPeripheral<2>(service: service, idleLimit: limit)
  controller.connect(0x40)
  controller.connect(0x41)
  controller.forgetWhatWasSent()
  return controller
}

private let scenarios: [HostScenario] = [
  Scenario(
    "The link that has been silent longest is ended at the limit",
    .repeat(2, .pass(minute), .send(.read, on: 0x40)),
    // 0x41 has been silent for 4 minutes, then for 5.
    .repeat(2, .pass(minute)), .sent(.disconnect), .pass(minute),
    .sent(.disconnect, [0x41, 0x00, 0x13]), .radio(.advertising),
    // Below capacity, the other link may stay silent.
    .repeat(20, .pass(minute)), .links(1)),
  Scenario(
    "A link with data every minute is not ended", on: { full(limit: 1) },
    .repeat(20, .send(.read, on: 0x40), .send(.read, on: 0x41), .pass(minute)), .sent(.disconnect)),
  Scenario(
    "The limit holds with a controller that does not answer Read RSSI",
    .set(\.unanswered, .readRSSI), .pass(minute), .repeat(5, .pass(minute), .send(.read, on: 0x40)),
    .sent(.disconnect, [0x41, 0x00, 0x13])),
  // Symptom: each time that advertising was turned on, the check began its minute again.
  Scenario(
    "Others that come and go do not put off the check of a silent link",
    on: { ScriptedPeripheral<2>(idleLimit: nil) }, .connect(0x40),
    .repeat(2, .connect(0x41), .disconnect(0x41), .pass(40_000)), .sent(.readRSSI, [0x40, 0x00])),
  Scenario(
    "The count of silent minutes stops at 65,535, 45 days",
    on: { ScriptedPeripheral<2>(idleLimit: .max) },
    .set(\.unanswered, .readRSSI), .connect(0x40),
    .also { host in for _ in 0...65_536 { host.pass(milliseconds: minute) } },
    // The limit counts only at full capacity.
    .connect(0x41), .links(2), .pass(minute), .sent(.disconnect, [0x40, 0x00, 0x13])),
]

/// Symptom: four silent centrals held the whole capacity forever.
@Suite("Host: the idle limit at full capacity")
struct IdleLimitTests {
  @Test("Silent links at full capacity", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: full(limit: 5)) }

  @Test("Links are kept without a limit, with room for a connection, or without advertising")
  func kept() {
    let controllers = [full(limit: nil), full(limit: 1, service: nil), full(limit: 2)]
    controllers[2].disconnect(0x41)
    for controller in controllers {
      for _ in 0..<20 { controller.pass(milliseconds: minute) }
      expect(controller.parameters(of: .disconnect), is: [])
    }
  }
}
