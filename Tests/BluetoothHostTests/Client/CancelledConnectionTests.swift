import BluetoothHost
import Expectations

/// A central whose controller makes no link, and refuses to cancel the attempt.
private func ignoringCancel() -> ScriptedCentral<1> {
  .ready {
    $0.script = { opcode, _ in
      switch opcode {
      case .leCreateConnection: [Events.status(opcode)]
      case .leCreateConnectionCancel: [Events.complete(opcode, [0x0C])]
      default: nil
      }
    }
  }
}

private let scenarios: [HostScenario] = [
  Scenario(
    "cancels an attempt", on: { ScriptedCentral<1>.ready { $0.completesConnections = false } },
    .connect(to: .numbered(2)), .cancelConnection, .lastCommands(.leCreateConnectionCancel),
    .client(.connectionFailed(.unknownConnectionIdentifier)), .deadline(nil), .canConnect(true),
    .cancelConnection, .client()),
  Scenario(
    "cancels an attempt before its command is sent",
    .also { _ = $0.beginConnection(to: .numbered(2)) }, .cancelConnection,
    .has(.leCreateConnection, false), .client(.connectionFailed(.unknownConnectionIdentifier))),
  Scenario(
    "a controller that ignores the cancel delays the end by 2 s; its late link is ended",
    on: { ignoringCancel() },
    .connect(to: .numbered(2)), .cancelConnection, .client(), .pass(1_999), .client(), .pass(1),
    .client(.connectionFailed(.unknownConnectionIdentifier)), .canConnect(true),
    .receive(Events.connected(0x0040, peer: [0, 2, 0, 0, 0, 0, 0xF0])), .pass(0),
    .sent(.disconnect, [0x40, 0x00, 0x13]), .client(), .links(0)),
  Scenario(
    "a scan goes on after a cancelled attempt whose end was never reported",
    on: { ignoringCancel() },
    .connect(to: .numbered(2)), .scan(ScanParameters()), .cancelConnection,
    .has(.leSetScanEnable, false), .pass(2_000), .sent(.leSetScanEnable, [1, 1])),
  Scenario(
    "a link that is made just as it is cancelled is ended",
    .also {
      $0.script = { opcode, parameters in
        switch opcode {
        case .leCreateConnection: [Events.status(opcode)]
        case .leCreateConnectionCancel:
          [
            Events.complete(opcode, [0x0C]),
            Events.connected(0x0040, peer: [0, 2, 0, 0, 0, 0, 0xF0]),
          ]
        default: nil
        }
      }
    },
    .connect(to: .numbered(2)), .cancelConnection, .pass(0),
    .client(.connectionFailed(.unknownConnectionIdentifier)),
    .sent(.disconnect, [0x40, 0x00, 0x13]), .links(0)),
]

@Suite("Host: attempts to connect that are cancelled")
struct CancelledConnectionTests {
  @Test("Attempts are cancelled", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws {
    try scenario.run(on: ScriptedCentral<1>.ready())
  }
}
