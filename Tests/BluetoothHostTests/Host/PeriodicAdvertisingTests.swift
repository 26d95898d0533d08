import Expectations

@testable import BluetoothHost

/// A peripheral with two advertising sets, each with a train of up to 600 bytes.
private typealias Broadcaster = ScriptedHost<
  2,
  AdvertisingServer<2, GATTDatabase<27>, TestApplication, PeriodicAdvertisingSets<2, 31, 600>>,
  NoClient, NoChannels
>

private let features: UInt64 = 1 << 8 | 1 << 11 | 1 << 12 | 1 << 13
private let second = PeriodicTrain(interval: 800...800)
private let nonconnectable = AdvertisingSet(.nonconnectable)
private let long = (0..<601).map { UInt8(truncatingIfNeeded: $0) }

private func broadcaster(features: UInt64 = features) -> Broadcaster {
  var behaviour = ControllerBehaviour()
  behaviour.features = features
  let host = Broadcaster(
    behaviour,
    HostConfiguration(name: DeviceName(StaticText("Test")), service: nil, address: .public),
    server: AdvertisingServer(database: testDatabase, application: TestApplication()),
    client: NoClient(), channels: NoChannels())
  host.start()
  host.forgetWhatWasSent()
  return host
}

/// One with the train of the first set on.
@Sendable private func broadcasting() throws -> ScriptedController {
  let host = broadcaster()
  for step in [Step.broadcast(), .advertise(), .forget] { try step.take(host) }
  return host
}

extension Step where Subject == ScriptedController {
  /// Sets the data of a set, which fits or not; `runs`: the host does what follows at once.
  fileprivate static func advertise(
    _ set: AdvertisingSet? = nonconnectable, _ data: [UInt8] = [9], in index: Int = 0,
    fits: Bool = true, runs: Bool = true, at line: SourceLocation = #_sourceLocation
  ) -> Step {
    Step { host in
      let host = try #require(host as? Broadcaster)
      expect(host.host.advertise(set, data.span, in: index), is: fits, sourceLocation: line)
      if runs { host.run() }
    }
  }

  /// The same for the train of a set.
  fileprivate static func broadcast(
    _ train: PeriodicTrain? = second, _ data: [UInt8] = [1, 2], with index: Int = 0,
    fits: Bool = true, runs: Bool = true, at line: SourceLocation = #_sourceLocation
  ) -> Step {
    Step { host in
      let host = try #require(host as? Broadcaster)
      expect(host.host.advertise(train, data.span, withSet: index), is: fits, sourceLocation: line)
      if runs { host.run() }
    }
  }

  fileprivate static func supportsTrains(
    _ isSo: Bool, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(isSo, line) { ($0 as? Broadcaster)?.host.supportsPeriodicAdvertising } }
}

private let scenarios: [HostScenario] = [
  Scenario(
    "A train begins together with its set",
    .broadcast(PeriodicTrain(interval: 0x0102...0x0304, includesTxPower: true)), .commands(),
    .advertise(),
    .commands(
      .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
      .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable),
    // Handle 1; the intervals; the transmit power.
    .sent(.leSetPeriodicAdvertisingParameters, [1, 2, 1, 4, 3, 0x40, 0]),
    .sent(.leSetPeriodicAdvertisingData, [1, 3, 2, 1, 2]),
    .sent(.leSetPeriodicAdvertisingEnable, [1, 1]), .radio(.advertising)),
  Scenario(
    "It does if the program names the set first, before the host does anything",
    .advertise(in: 1, runs: false), .broadcast(with: 1),
    .commands(
      .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
      .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable),
    .sent(.leSetPeriodicAdvertisingEnable, [1, 2])),
  Scenario(
    "A controller without periodic advertising sends the set alone",
    on: { broadcaster(features: 1 << 12) }, .supportsTrains(false), .broadcast(), .advertise(),
    .commands(
      .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetExtendedAdvertisingEnable)),
  Scenario(
    "One without extended advertising does not support it",
    on: { broadcaster(features: 1 << 13) }, .supportsTrains(false)),
  Scenario("One with both does", .supportsTrains(true)),
  Scenario(
    "Data of up to 252 bytes changes while the train goes on; more stops it",
    on: broadcasting, .broadcast(second, [3]), .commands(.leSetPeriodicAdvertisingData),
    .sent(.leSetPeriodicAdvertisingData, [1, 3, 1, 3]),
    // The same again is no command.
    .broadcast(second, [3]), .commandCount(1), .forget, .broadcast(second, Array(long[..<253])),
    .commands(
      .leSetPeriodicAdvertisingEnable, .leSetPeriodicAdvertisingData,
      .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable),
    .sent(.leSetPeriodicAdvertisingEnable, [0, 1], [1, 1])),
  Scenario(
    "Data that changes while the controller gets it begins again",
    .broadcast(second, Array(long[..<600])), .advertise(runs: false), .repeat(3, .answerOne),
    // LE Set Periodic Advertising Data with the first part.
    .also { expect($0.nextPacket()?[1...2], is: [0x3F, 0x20]) }, .broadcast(second, [7]),
    .complete(.leSetPeriodicAdvertisingData, [0]),
    .sent(.leSetPeriodicAdvertisingData, [1, 3, 1, 7]),
    .sent(.leSetPeriodicAdvertisingEnable, [1, 1])),
  Scenario(
    "A controller that refuses new data gets a new train",
    on: broadcasting, .refuse(.leSetPeriodicAdvertisingData, .commandDisallowed),
    // The command, and the end of the train.
    .broadcast(second, [3], runs: false), .repeat(2, .answerOne), .set(\.refused, nil), .run,
    .commands(
      .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable,
      .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
      .leSetPeriodicAdvertisingEnable),
    .radio(.advertising)),
  Scenario(
    "Another interval, and another PHY of the set, need a new train",
    on: broadcasting, .broadcast(PeriodicTrain(interval: 6...6)),
    .commands(
      .leSetPeriodicAdvertisingEnable, .leSetPeriodicAdvertisingParameters,
      .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable),
    .forget, .advertise(AdvertisingSet(.nonconnectable, phy: .le2M)),
    .commands(
      // Core Specification, Vol 4, Part E, 7.8.53: the PHY cannot change while the train is on.
      .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable,
      .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
      .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable),
    // New data of the set leaves the train on.
    .forget, .advertise(AdvertisingSet(.nonconnectable, phy: .le2M), [8]),
    .has(.leSetPeriodicAdvertisingEnable, false)),
  Scenario(
    "A connectable set gets no train",
    .advertise(AdvertisingSet(.connectable)), .broadcast(fits: false)),
  Scenario(
    "A scannable set gets no train",
    .advertise(AdvertisingSet(.scannable)), .broadcast(fits: false)),
  Scenario(
    "A set with a train does not become connectable or scannable",
    on: broadcasting, .advertise(AdvertisingSet(.connectable), fits: false),
    .advertise(AdvertisingSet(.scannable), fits: false), .commands()),
  Scenario(
    "Trains that do not fit are refused",
    .broadcast(PeriodicTrain(interval: 6...0xFFFF), Array(long[..<600])),
    .broadcast(PeriodicTrain(interval: 5...800), fits: false), .broadcast(second, long, fits: false)
  ),
  Scenario(
    "After its train, a set is removed from the controller, and can be of any kind",
    on: broadcasting, .broadcast(nil, []),
    .commands(
      .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet,
      .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetExtendedAdvertisingEnable),
    .sent(.leRemoveAdvertisingSet, [1]), .advertise(AdvertisingSet(.connectable)),
    .radio(.advertising)),
  Scenario(
    "Without its set, a train ends too",
    on: broadcasting, .advertise(nil, []),
    .commands(
      .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet),
    .radio(.silent)),
  Scenario(
    "After a reset of the controller, the train begins again",
    on: broadcasting, .receive([0x04, 0x10, 1, 0x42]), .pass(0),
    .lastCommands(
      .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
      .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable),
    .radio(.advertising)),
  Scenario(
    "A connectable set that waits for a free connection leaves the train on",
    on: broadcasting, .connect(0x40), .connect(0x41),
    .has(.leSetPeriodicAdvertisingEnable, false), .links(2)),
  Scenario(
    "A shutdown ends the train too",
    on: broadcasting, .shutDown, .isShutDown(false), .run,
    .commands(.leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable), .isShutDown(true)),
]

private let faults: [HostScenario] = [
  HCIOpcode.leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
  .leSetPeriodicAdvertisingEnable,
].flatMap { opcode in
  [
    Scenario(
      "\(opcode) is refused", .refuse(opcode, .packetTooLong), .broadcast(), .advertise(),
      .radio(.fault(.refused(opcode, .packetTooLong))), .set(\.refused, nil), .pass(2_000),
      .radio(.advertising)),
    Scenario(
      "\(opcode) is unanswered", .set(\.unanswered, opcode), .broadcast(), .advertise(),
      .pass(2_000), .event(.radio(.fault(.unanswered(opcode))))),
  ]
}

@Suite("Periodic advertising of a host")
struct PeriodicAdvertisingTests {
  @Test("Trains begin, change and end", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: broadcaster()) }

  @Test("A failed command is a fault, after which the controller is reset", arguments: faults)
  func fault(_ scenario: HostScenario) throws { try scenario.run(on: broadcaster()) }

  @Test(
    "The first data comes in parts of at most 252 bytes",
    arguments: [(0, [0]), (252, [252]), (253, [252, 1]), (600, [252, 252, 96])])
  func parts(count: Int, lengths: [Int]) throws {
    let host = broadcaster()
    let data = Array(long[..<count])
    for step in [Step.broadcast(second, data), .advertise()] { try step.take(host) }
    let parts = host.parameters(of: .leSetPeriodicAdvertisingData)
    expect(parts.map { $0.count - 3 }, is: lengths)
    expect(parts.flatMap { $0.dropFirst(3) }, is: data)
    expect(parts.first?[1], is: lengths.count == 1 ? 3 : 1)
    expect(parts.last?[1], is: lengths.count == 1 ? 3 : 2)
  }

  @Test("A set that does not exist has no train", arguments: [-1, 2, .max, .min])
  func noSet(index: Int) throws {
    let steps: [Step] = [.broadcast(with: index, fits: false), .advertise(in: index, fits: false)]
    let host = broadcaster()
    for step in steps { try step.take(host) }
    let data: [UInt8] = [1]
    expect(!ScriptedPeripheral<1>().host.advertise(second, data.span, withSet: 0))
  }
}
