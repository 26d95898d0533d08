import BluetoothHost
import Expectations

private func central(answering results: [UInt8]?) -> ScriptedCentral<2> {
  let central = ScriptedCentral<2>.connected()
  central.script = { opcode, _ in
    opcode == .readRSSI ? results.map { [Events.complete(opcode, $0)] } ?? [] : nil
  }
  return central
}

private let scenarios: [HostScenario] = [
  Scenario(
    "is read during an operation",
    on: { central(answering: [0, 0x40, 0, UInt8(bitPattern: -61)]) },
    .perform(.read(handle(3))), .readRSSI(at: 0), .sent(.readRSSI, [0x40, 0x00]),
    .client(.rssi(-61)),
    // There are no links at these indices.
    .readRSSI(at: 1), .readRSSI(at: -1), .count(of: .readRSSI, 1)),
  Scenario(
    "is unknown if the controller does not know the link, which then ends",
    on: { central(answering: [0x02, 0x40, 0x00, 0]) },
    .readRSSI(at: 0),
    .also {
      expect($0.takeEvents().prefix(2), is: [.rssi(nil), .disconnected(0, .unspecifiedError)])
    }),
  Scenario(
    "is unknown if the controller leaves the command unanswered",
    .readRSSI(at: 0), .pass(2_000), .client(.rssi(nil)), .links(1)),
  Scenario(
    "is not reported for a link that has ended",
    .readRSSI(at: 0), .receive(Events.disconnected(0x40, reason: 0x13)), .pass(2_000),
    .client(.disconnected(0, .remoteUserTerminatedConnection)),
    // The next link at its index reports no strength.
    .connect(to: .numbered(3)), .client(.connected(0, .numbered(3), .central))),
]

/// Core Specification, Vol 4, Part E, 7.5.4.
@Suite("Host: the signal strength of a peer")
struct RSSITests {
  @Test("The signal strength", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: central(answering: nil)) }

  @Test(
    "is unknown if the controller does not report it",
    arguments: [[0, 0x40, 0x00, 127], [0x0C, 0x40, 0x00, 0], [0x01], [0, 0x40], []] as [[UInt8]])
  func unknown(results: [UInt8]) {
    let central = central(answering: results)
    central.readRSSI(at: 0)
    expect(central.takeEvents(), is: [.rssi(nil)])
    expect(central.connectionCount, is: 1)
  }

  @Test(
    "the host's own check of a silent link is not reported",
    arguments: [[0, 0x40, 0x00, 0], nil] as [[UInt8]?])
  func ownCheck(results: [UInt8]?) {
    let central = central(answering: results)
    central.pass(milliseconds: 62_000)
    expect(central.parameters(of: .readRSSI), is: [[0x40, 0x00]])
    expect(central.takeEvents(), is: [])
    expect(central.connectionCount, is: 1)
  }
}
