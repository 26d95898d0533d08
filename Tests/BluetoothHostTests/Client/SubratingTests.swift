import Expectations

@testable import BluetoothHost

/// A central with the commands of Bluetooth 5.
private typealias Saver = ScriptedHost<
  1, NoServer, ScanningClient<1, Collector, ExtendedScanner<1, 31>>, NoChannels
>

private let wish = SubrateParameters(
  minimumFactor: 0x0102, maximumFactor: 0x0103, maximumLatency: 0, continuationNumber: 4,
  supervisionTimeout: 0x0506)
private let request: [UInt8] = [0x40, 0, 2, 1, 3, 1, 0, 0, 4, 0, 6, 5]

private func saver(features: UInt64 = 1 << 12 | 1 << 37) -> Saver {
  var behaviour = ControllerBehaviour()
  behaviour.features = features
  let host = Saver(
    behaviour, .central, server: NoServer(), client: ScanningClient(application: Collector()),
    channels: NoChannels())
  host.stopsAtDeadlines = true
  host.start()
  host.script = { opcode, _ in
    guard opcode == .leExtendedCreateConnection else { return nil }
    return [Events.status(opcode, 0), Events.connected(0x40, peer: [0, 2, 0, 0, 0, 0, 0xF0])]
  }
  expect(host.connect(to: .numbered(2)))
  _ = host.takeEvents()
  // An event ends what this begins.
  host.script = { opcode, _ in opcode == .leSubrateRequest ? [Events.status(opcode, 0)] : nil }
  return host
}

extension Step where Subject == ScriptedController {
  /// Begins a request, or cannot; `runs`: the host does what follows at once.
  fileprivate static func request(
    _ parameters: SubrateParameters = wish, at index: Int = 0, begins: Bool = true,
    runs: Bool = true, at line: SourceLocation = #_sourceLocation
  ) -> Step {
    Step { host in
      let host = try #require(host as? Saver)
      expect(host.host.requestSubrate(parameters, at: index), is: begins, sourceLocation: line)
      if runs { host.run() }
    }
  }

  /// LE Subrate Change.
  fileprivate static func changed(_ status: UInt8 = 0, handle: UInt8 = 0x40) -> Step {
    receive([0x04, 0x3E, 12, 0x23, status, handle, 0, 3, 1, 0, 0, 4, 0, 6, 5])
  }

  /// The subrate that this event states.
  fileprivate static func subrate(at line: SourceLocation = #_sourceLocation) -> Step {
    client(
      .subrate(
        0,
        LESubrateChange(
          status: .success, handle: ConnectionHandle(rawValue: 0x40), factor: 0x0103, latency: 0,
          continuationNumber: 4, supervisionTimeout: 0x0506)), at: line)
  }
}

private let scenarios: [HostScenario] = [
  Scenario(
    "The controller learns that the host supports it, if it does itself",
    .sent(.leSetHostFeature, [38, 1]),
    // LE Subrate Change is bit 34 of the mask.
    .also { expect($0.parameters(of: .leSetEventMask).last?[4], is: 0b100) }),
  Scenario(
    "Without its support there is no request",
    on: { saver(features: 1 << 12) }, .request(begins: false), .sent(.leSetHostFeature),
    .sent(.leSubrateRequest)),
  Scenario(
    "A request gets the link's new subrate",
    .request(), .sent(.leSubrateRequest, request), .client(), .changed(), .subrate(),
    // The peer's, too, and those of other links do not count.
    .changed(), .changed(handle: 0x41), .subrate()),
  Scenario(
    "A refusal of the peer or of the controller is reported once",
    .request(), .changed(0x1A), .client(.subrateFailed(0, .unsupportedRemoteFeature)),
    .script { opcode, _ in opcode == .leSubrateRequest ? [Events.status(opcode, 0x12)] : nil },
    .request(), .client(.subrateFailed(0, .invalidCommandParameters))),
  Scenario(
    "An unanswered command fails, and no other is sent",
    // One waits for its answer.
    .set(\.unanswered, .leSubrateRequest), .request(), .request(begins: false, runs: false),
    .pass(2_000), .client(.subrateFailed(0, .unspecifiedError)), .request(begins: false)),
  Scenario(
    "Wrong parameters and links are refused at once",
    .request(
      SubrateParameters(
        minimumFactor: 0, maximumFactor: 0x0103, maximumLatency: 0, continuationNumber: 4,
        supervisionTimeout: 0x0506), begins: false),
    .request(at: 1, begins: false), .request(at: -1, begins: false), .disconnect(0x40),
    .request(begins: false), .sent(.leSubrateRequest)),
]

@Suite("Host: the subrate of a link")
struct SubratingTests {
  @Test("Requests and their results", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: saver()) }

  @Test("Parameters need ten bytes, and their order")
  func truncated() {
    let bytes = Array(request.dropFirst(2))
    for part in truncations(of: bytes) + [bytes] {
      var reader = ByteReader(part.span)
      expect(SubrateParameters(&reader), is: part == bytes ? wish : nil)
    }
  }
}
