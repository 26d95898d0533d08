import Expectations

@testable import BluetoothHost

private let scenarios: [HostScenario] = [
  Scenario(
    "A link with data but without an event is ended after 2 s",
    .send([0x0A, 0x16, 0x00], on: 0x77), .deadline(2_000), .pass(1_999),
    .send([0x0A, 0x16, 0x00], on: 0x77), .commands(), .pass(1),
    .sent(.disconnect, [0x77, 0x00, 0x13]),
    // The link ended the advertising, which the host restarts.
    .sent(.leSetAdvertisingEnable, [0x00], [0x01]), .links(2), .radio(.advertising)),
  Scenario(
    "The end of an unknown link restarts advertising",
    .disconnect(0x77), .sent(.leSetAdvertisingEnable, [0x00], [0x01]), .radio(.advertising),
    .connect(0x42), .forget, .disconnect(0x77),
    // Advertising is off at full capacity.
    .commands()),
  Scenario(
    "The end of an unknown link does not hasten a reset",
    on: { ScriptedPeripheral<3>.with { $0.refused = (.reset, .hardwareFailure) } },
    .set(\.refused, nil), .disconnect(0x77), .pass(1_999), .commands(.reset), .pass(1),
    .count(of: .reset, 2), .radio(.advertising)),
  Scenario(
    "A link that is silent for a minute is checked",
    .pass(59_000), .send([0x0A, 0x16, 0x00], on: 0x41), .sent(.readRSSI), .pass(1_000),
    .sent(.readRSSI, [0x40, 0x00]), .links(2), .pass(60_000),
    .sent(.readRSSI, [0x40, 0x00], [0x40, 0x00], [0x41, 0x00])),
  Scenario(
    "A link that the controller does not know ends",
    .connect(0x42), .radio(.silent), .refuse(.readRSSI, .unknownConnectionIdentifier),
    .pass(59_000), .send([0x0A, 0x16, 0x00], on: 0x40), .send([0x0A, 0x16, 0x00], on: 0x42),
    .forget, .pass(1_000), .event(.disconnected(1, .unspecifiedError)), .links(2),
    .commands(.readRSSI, .leSetAdvertisingEnable), .radio(.advertising)),
  Scenario(
    "A controller that knows no link is set up again",
    .refuse(.readRSSI, .unknownConnectionIdentifier), .pass(60_000), .links(0), .has(.reset),
    .radio(.advertising)),
  Scenario(
    "A controller that ignores the check is not asked again",
    .set(\.unanswered, .readRSSI), .repeat(10, .pass(60_000)), .count(of: .readRSSI, 1), .links(2),
    .read(on: 0x41)),
  Scenario(
    "Without links there is no check",
    .disconnect(0x40), .disconnect(0x41), .pass(60_000), .has(.readRSSI, false)),
  Scenario(
    "A late answer about an ended link does not end the next one", on: { ScriptedPeripheral<2>() },
    .connect(0x40), .connect(0x41), .set(\.unanswered, .readRSSI), .pass(59_999),
    .send(.read, on: 0x41), .pass(1), .disconnect(0x40), .connect(0x40),
    .complete(.readRSSI, [0x02, 0x40, 0x00, 0]), .links(2)),
]

@Suite("Host: lost events")
struct LostEventTests {
  @Test("Lost events", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws {
    try scenario.run(on: ScriptedPeripheral<3>.connected())
  }
}
