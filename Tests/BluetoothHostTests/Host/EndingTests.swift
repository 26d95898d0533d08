import Expectations

@testable import BluetoothHost

private let scenarios: [HostScenario] = [
  Scenario(
    "Shutting down ends the links and turns advertising off",
    .isShutDown(false), .shutDown, .isShutDown(false), .run,
    .commands(.disconnect, .disconnect, .leSetAdvertisingEnable),
    .sent(.leSetAdvertisingEnable, [0x00]), .isShutDown(true), .radio(.silent), .pass(60_000),
    .commandCount(3), .deadline(nil)),
  Scenario(
    "Shutting down waits for the links to have ended",
    .set(\.completesDisconnections, false), .shutDown, .run, .isShutDown(false), .disconnect(0x40),
    .isShutDown(false), .disconnect(0x41), .isShutDown(true)),
  Scenario(
    "A central that connects during the shutdown is disconnected, too",
    .set(\.unanswered, .leSetAdvertisingEnable), .shutDown, .run, .connect(0x42),
    .isShutDown(false), .complete(.leSetAdvertisingEnable, [0x00]),
    .lastSent(.disconnect, [0x42, 0x00, 0x13]), .isShutDown(true)),
  Scenario(
    "Disconnecting all links leaves advertising on",
    .forgetEvents, .disconnectAll, .run, .links(0),
    .also { host in
      expect(
        host.events.filter { if case .disconnected = $0 { true } else { false } },
        is: [
          .disconnected(0, .connectionTerminatedByLocalHost),
          .disconnected(1, .connectionTerminatedByLocalHost),
        ])
    },
    .radio(.advertising)),
  Scenario(
    "A controller that never reports a disconnection is reset",
    .set(\.completesDisconnections, false), .disconnectAll, .run,
    // 72 × 10 = 720 ms of supervision + 2 × 2 s.
    .deadline(4_720), .pass(4_720), .links(0), .event(.radio(.fault(.unanswered(.disconnect)))),
    .pass(0), .radio(.advertising)),
  Scenario(
    "A controller that knows none of the links is set up again",
    .refuse(.disconnect, .unknownConnectionIdentifier), .disconnectAll, .run, .links(0),
    .radio(.advertising), .firstCommands(.disconnect, .disconnect, .reset)),
  Scenario(
    "A link that ends while it is being disconnected ends no other",
    .set(\.completesDisconnections, false), .disconnectAll,
    // The controller accepts the Disconnect for 0x40.
    .answerOne,
    // The Disconnect for 0x41 crosses the event for the end of the link.
    .also { _ = $0.nextPacket() }, .disconnect(0x41, reason: 0x13),
    .status(.unknownConnectionIdentifier, of: .disconnect), .links(1),
    .disconnect(0x40, reason: 0x16), .links(0)),
  Scenario(
    "A lost radio ends every link, and the host waits for a new one",
    .forgetEvents, .radioLost,
    .events(
      .disconnected(0, .hardwareFailure), .disconnected(1, .hardwareFailure), .radio(.fault(.lost))),
    .pass(60_000), .send([0x0A, 0x16, 0x00]),
    .also { expect($0.commands == [] && $0.aclPackets == []) }, .deadline(nil), .start,
    .radio(.advertising), .connect(), .read()),
  Scenario(
    "Starting again ends the links, and reports their ends",
    .forgetEvents, .start,
    .firstEvents(
      .disconnected(0, .connectionTerminatedByLocalHost),
      .disconnected(1, .connectionTerminatedByLocalHost)),
    .radio(.advertising)),
]

private let lostEvents: [HostScenario] = [
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

@Suite("Host: ending links, shutting down, losing the radio or events")
struct EndingTests {
  @Test("Links and the radio end, also without events", arguments: scenarios + lostEvents)
  func scenario(_ scenario: HostScenario) throws {
    try scenario.run(on: ScriptedPeripheral<3>.connected())
  }

  @Test(
    "A controller that does not answer delays the shutdown by 2 s",
    arguments: [HCIOpcode.disconnect, .leSetAdvertisingEnable])
  func unanswered(opcode: HCIOpcode) {
    let controller = ScriptedPeripheral<3>.connected()
    controller.behaviour.unanswered = opcode
    controller.shutDown()
    controller.run()
    expect(!controller.isShutDown)
    controller.pass(milliseconds: 2_000)
    expect(controller.isShutDown)
  }

  @Test("Shutting down a radio that is not set up takes no time")
  func notReady() {
    let notStarted = ScriptedPeripheral<1>(starts: false)
    notStarted.shutDown()
    expect(notStarted.isShutDown)
    let starting = ScriptedPeripheral<1>.with { $0.unanswered = .reset }
    starting.shutDown()
    expect(starting.isShutDown)
  }
}
