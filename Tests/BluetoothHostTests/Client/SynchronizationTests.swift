import Expectations

@testable import BluetoothHost

/// A central that follows up to two trains, and keeps 300 bytes of each.
private typealias Follower = ScriptedHost<
  1, NoServer, ScanningClient<1, Collector, PeriodicScanner<1, 31, 2, 300>>, NoChannels
>

private let source = parameters(advertisingSet: 9)
private let another = parameters(advertisingSet: 10)
private let create: [UInt8] = [0, 9, 1, 1, 2, 3, 4, 5, 0xC6, 2, 1, 4, 3, 0]

private func parameters(
  advertisingSet: UInt8 = 9, skip: UInt16 = 0x0102, timeout: UInt16 = 0x0304
) -> SynchronizationParameters {
  SynchronizationParameters(
    address: DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0xC6]),
    advertisingSet: advertisingSet, skip: skip, timeout: timeout)
}

private func follower(features: UInt64 = 1 << 12 | 1 << 13, starts: Bool = true) -> Follower {
  var behaviour = ControllerBehaviour()
  behaviour.features = features
  let host = Follower(
    behaviour, .central, server: NoServer(), client: ScanningClient(application: Collector()),
    channels: NoChannels())
  host.stopsAtDeadlines = true
  guard starts else { return host }
  host.start()
  _ = host.takeEvents()
  host.forgetWhatWasSent()
  // An event ends what these begin.
  host.script = { opcode, _ in
    opcode == .lePeriodicAdvertisingCreateSync ? [Events.status(opcode, 0)] : nil
  }
  return host
}

/// One that receives a train, with handle 7.
@Sendable private func synchronized() throws -> ScriptedController {
  let host = follower()
  for step in [Step.follow(0), .established(7), .forget, .forgetClient] { try step.take(host) }
  return host
}

extension Step where Subject == ScriptedController {
  /// Begins to follow a train, at an index or not at all.
  fileprivate static func follow(
    _ index: Int?, _ parameters: SynchronizationParameters = source,
    at line: SourceLocation = #_sourceLocation
  ) -> Step {
    Step { host in
      let host = try #require(host as? Follower)
      expect(host.host.synchronize(with: parameters), is: index, sourceLocation: line)
      host.run()
    }
  }

  fileprivate static func unfollow(_ index: Int) -> Step {
    Step { host in
      let host = try #require(host as? Follower)
      host.run { host.host.unsynchronize(at: index) }
    }
  }

  fileprivate static func established(_ handle: UInt8, status: UInt8 = 0) -> Step {
    receive(syncEstablished(handle, status: status))
  }

  /// A part of a train's data; `status`: 0 for the last one, 1 for another, 2 for a truncated one.
  fileprivate static func report(
    _ data: [UInt8], status: UInt8 = 0, of handle: UInt8 = 7
  ) -> Step { receive(syncReport(handle, status, data)) }

  fileprivate static func lost(_ handle: UInt8 = 7) -> Step { receive(syncLost(handle)) }

  /// An event cut short at every length.
  fileprivate static func truncated(_ event: [UInt8]) -> Step {
    Step { $0.receiveTruncated(event) }
  }
}

private func syncEstablished(_ handle: UInt8, status: UInt8 = 0) -> [UInt8] {
  [0x04, 0x3E, 16, 0x0E, status, handle, 0, 9, 1, 1, 2, 3, 4, 5, 0xC6, 2, 0x20, 0x03, 0]
}

private func syncReport(_ handle: UInt8, _ status: UInt8, _ data: [UInt8]) -> [UInt8] {
  [0x04, 0x3E, UInt8(8 + data.count), 0x0F, handle, 0, 0xFC, 0xC4, 0xFF, status]
    + [UInt8(data.count)] + data
}

private func syncLost(_ handle: UInt8) -> [UInt8] { [0x04, 0x3E, 3, 0x10, handle, 0] }

extension Collector.Event {
  fileprivate static func train(
    _ data: [UInt8], _ completeness: AdvertisingReport.Completeness = .complete, at index: Int = 0
  ) -> Self { .train(index, data, completeness, rssi: -60, txPower: -4) }

  fileprivate static func synchronized(_ index: Int) -> Self {
    .synchronized(index, .le2M, interval: 800)
  }
}

private let long = [UInt8](counting: 200)

private let scenarios: [HostScenario] = [
  Scenario(
    "The program gets the train's PHY and interval, then each packet, then its end",
    .follow(0), .sent(.lePeriodicAdvertisingCreateSync, create), .established(7),
    .client(.synchronized(0)), .report([1, 2]), .report([]), .report([3], status: 2),
    .client(.train([1, 2]), .train([]), .train([3], .truncated)), .lost(),
    .client(.unsynchronized(0, .connectionTimeout)), .report([1]), .lost(), .client(),
    // It can be followed again.
    .follow(0)),
  // Sync Established, Report and Sync Lost are bits 13 to 15, after those of extended scanning.
  Scenario(
    "It asks the controller for the events",
    .start, .also { expect($0.parameters(of: .leSetEventMask).last?[1], is: 0xE0 | 0b1_1010) }),
  Scenario(
    "The parts of a packet's data are joined, up to the capacity",
    on: synchronized, .report([1, 2], status: 1), .report([], status: 1), .client(),
    .report([3]), .client(.train([1, 2, 3])), .report([1], status: 1), .report([], status: 2),
    .client(.train([1], .truncated)), .report(long, status: 1), .report(long, status: 1),
    .report(long), .client(.train(long + long[..<100], .truncated)), .report([4]),
    .client(.train([4])),
    // What was begun before the end of a synchronization is not a part of the next one.
    .report([5], status: 1), .lost(), .follow(0), .established(7), .forgetClient, .report([6]),
    .client(.train([6]))),
  Scenario(
    "One train after another; a second one waits for the first",
    .follow(0), .follow(1, another), .count(of: .lePeriodicAdvertisingCreateSync, 1),
    // There is no third one, and none twice.
    .follow(nil, parameters(advertisingSet: 11)), .established(7),
    .count(of: .lePeriodicAdvertisingCreateSync, 2), .established(8),
    .client(.synchronized(0), .synchronized(1)), .report([1], status: 1, of: 8), .report([2]),
    .report([3], of: 8), .client(.train([2]), .train([1, 3], at: 1)), .unfollow(0),
    .sent(.lePeriodicAdvertisingTerminateSync, [7, 0]),
    .client(.unsynchronized(0, .connectionTerminatedByLocalHost)), .follow(0), .follow(nil)),
  Scenario(
    "Wrong parameters are refused",
    .follow(nil, parameters(advertisingSet: 16)), .follow(nil, parameters(skip: 500)),
    .follow(nil, parameters(timeout: 9)), .follow(nil, parameters(timeout: 0x4001)),
    .unfollow(-1), .unfollow(0), .unfollow(2), .unfollow(.max), .commands(), .client()),
  Scenario(
    "A controller without extended and periodic advertising follows none",
    on: { follower(features: 0) }, .follow(nil)),
  Scenario(
    "One without periodic advertising follows none",
    on: { follower(features: 1 << 12) }, .follow(nil)),
  Scenario(
    "One without extended advertising follows none",
    on: { follower(features: 1 << 13) }, .follow(nil)),
  Scenario("Before its start a host follows none", on: { follower(starts: false) }, .follow(nil)),
  Scenario(
    "A synchronization that the controller refuses ends with the reason",
    .script { opcode, _ in
      opcode == .lePeriodicAdvertisingCreateSync ? [Events.status(opcode, 0x07)] : nil
    },
    .follow(0), .client(.unsynchronized(0, .memoryCapacityExceeded))),
  Scenario(
    "One that fails does, too",
    .follow(0), .established(0, status: 0x3E),
    .client(.unsynchronized(0, .connectionFailedToBeEstablished))),
  Scenario(
    "A waiting attempt ends at once, one under way is cancelled",
    .follow(0), .follow(1, another), .unfollow(1),
    .client(.unsynchronized(1, .connectionTerminatedByLocalHost)), .unfollow(0), .unfollow(0),
    .commands(.lePeriodicAdvertisingCreateSync, .lePeriodicAdvertisingCreateSyncCancel),
    .client(.unsynchronized(0, .connectionTerminatedByLocalHost)),
    // The next one begins; the event about the first does not end it.
    .follow(0), .established(0, status: 0x44), .client(), .established(7),
    .client(.synchronized(0))),
  Scenario(
    "A reset of the controller ends every synchronization",
    on: synchronized, .follow(1, another), .receive([0x04, 0x10, 1, 0x42]),
    .also { host in
      expect(
        host.takeEvents().prefix(2),
        is: [.unsynchronized(0, .hardwareFailure), .unsynchronized(1, .hardwareFailure)])
    },
    .pass(0), .follow(0)),
  Scenario(
    "A shutdown ends every synchronization",
    on: synchronized, .follow(1, another), .shutDown, .isShutDown(false), .run, .isShutDown(true),
    .commands(
      .lePeriodicAdvertisingCreateSync, .lePeriodicAdvertisingTerminateSync,
      .lePeriodicAdvertisingCreateSyncCancel),
    .follow(nil)),
  Scenario(
    "Events cut short, and of unknown synchronizations, are ignored",
    on: synchronized, .truncated(syncReport(7, 0, [1, 2])), .truncated(syncLost(7)),
    .report([1], of: 8), .lost(8), .client()),
  Scenario(
    "The event of a beginning is ignored if cut short",
    .follow(0), .truncated(syncEstablished(7)), .client()),
  Scenario(
    "An unwanted synchronization is ended",
    .established(5), .sent(.lePeriodicAdvertisingTerminateSync, [5, 0])),
]

@Suite("Synchronizing with periodic advertising")
struct SynchronizationTests {
  @Test("Synchronizations begin and end", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: follower()) }

  @Test("A client without periodic advertising has none")
  func plainClient() { expect(ScriptedCentral<1>.ready().host.synchronize(with: source), is: nil) }

  @Test("A synchronization that is made while it is cancelled ends too", arguments: [true, false])
  func tooLate(eventComesFirst: Bool) throws {
    let scenario = HostScenario(
      "Too late", .follow(0),
      .script { opcode, _ in
        guard opcode == .lePeriodicAdvertisingCreateSyncCancel else { return nil }
        let answer = Events.complete(opcode, [0x0C])
        return eventComesFirst ? [syncEstablished(7), answer] : [answer, syncEstablished(7)]
      },
      .unfollow(0), .sent(.lePeriodicAdvertisingTerminateSync, [7, 0]),
      .client(.unsynchronized(0, .connectionTerminatedByLocalHost)),
      // Symptom in controllers: the end is refused too. It is not tried for ever.
      .script { _, _ in nil }, .refuse(.lePeriodicAdvertisingTerminateSync, .commandDisallowed),
      .follow(0), .established(7), .forgetClient, .unfollow(0),
      .client(.unsynchronized(0, .connectionTerminatedByLocalHost)))
    try scenario.run(on: follower())
  }

  @Test(
    "An unanswered command is a fault",
    arguments: [
      HCIOpcode.lePeriodicAdvertisingCreateSync, .lePeriodicAdvertisingCreateSyncCancel,
      .lePeriodicAdvertisingTerminateSync,
    ])
  func unanswered(opcode: HCIOpcode) throws {
    let host = follower()
    host.unanswered = opcode
    try Step.follow(0).take(host)
    if opcode == .lePeriodicAdvertisingTerminateSync { try Step.established(7).take(host) }
    try Step.unfollow(0).take(host)
    host.pass(milliseconds: 2_000)
    let events = host.takeEvents()
    expect(events.contains(.unsynchronized(0, .hardwareFailure)))
    expect(events.contains(.radio(.fault(.unanswered(opcode)))))
  }
}
