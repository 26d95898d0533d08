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
    "connects, and reports that the peer disconnects",
    .canConnect(true), .connect(to: .numbered(2)),
    // 60 ms of 60 ms; no filter; the peer; public; 7.5 to 30 ms; no latency; 2 s; no event
    // length.
    .sent(
      .leCreateConnection,
      [96, 0, 96, 0, 0, 0, 2, 0, 0, 0, 0, 0xF0, 0] + [6, 0, 24, 0, 0, 0, 200, 0, 0, 0, 0, 0]),
    .client(.connected(0, .numbered(2), .central)), .canConnect(false),
    .cannotConnect(to: .numbered(3)), .disconnect(),
    .client(.disconnected(0, .remoteUserTerminatedConnection)), .deadline(nil), .canConnect(true)),
  // Core Specification, Vol 4, Part E, 7.7.65.10.
  Scenario(
    "reads the enhanced form of the event",
    .script { opcode, parameters in
      guard opcode == .leCreateConnection else { return nil }
      var event = Events.connected(0x0040, peer: Array(parameters[5..<12]))
      event[3] = 0x0A
      // 3 (header) + 1 (subevent) + 1 (status) + 2 (handle) + 1 (role) + 7 (peer) = 15
      event.insert(contentsOf: [UInt8](repeating: 0, count: 12), at: 15)
      event[2] += 12
      return [Events.status(opcode), event]
    },
    .connect(to: .numbered(2)), .client(.connected(0, .numbered(2), .central))),
  Scenario(
    "does not scan while it connects, and scans again afterwards",
    .scan(ScanParameters()), .forget, .connect(to: .numbered(2)),
    .commands(.leSetScanEnable, .leCreateConnection, .leSetScanParameters, .leSetScanEnable)),
  Scenario(
    "makes several links, one after another", on: { ScriptedCentral<4>.ready() },
    .also { host in for number: UInt8 in 2...5 { expect(host.connect(to: .numbered(number))) } },
    .cannotConnect(to: .numbered(6)),
    .also { host in
      expect(
        host.takeEvents(), is: (0..<4).map { .connected($0, .numbered(UInt8($0 + 2)), .central) })
    },
    .disconnect(at: 1), .client(.disconnected(1, .connectionTerminatedByLocalHost)), .links(3),
    // The index is free for the next link.
    .connect(to: .numbered(6)), .client(.connected(1, .numbered(6), .central))),
  Scenario(
    "only one attempt runs at a time, and it lasts until it is cancelled",
    on: { ScriptedCentral<4>.ready { $0.completesConnections = false } },
    .connect(to: .numbered(2)), .canConnect(false), .cannotConnect(to: .numbered(3)),
    .count(of: .leCreateConnection, 1), .client(),
    // It lasts until it is cancelled.
    .pass(3_600_000), .client(), .deadline(nil)),
  Scenario(
    "reports why the controller could not connect",
    .also { host in
      for (status, failure) in [(UInt8(0x0C), nil), (0, UInt8(0x3E))] as [(UInt8, UInt8?)] {
        host.script = { opcode, _ in
          guard opcode == .leCreateConnection else { return nil }
          return [Events.status(opcode, status)]
            + (failure.map { [Events.connectionFailed($0)] } ?? [])
        }
        host.connect(to: .numbered(2))
        let reason = HCIErrorCode(rawValue: failure ?? status)
        expect(host.takeEvents(), is: [.connectionFailed(reason)])
        expect(host.canConnect)
      }
    }),
  Scenario(
    "a link to the wrong peer is ended, and the attempt goes on",
    on: { ScriptedCentral<2>.ready { $0.completesConnections = false } },
    .connect(to: .numbered(2)), .receive(Events.connected(0x0050, peer: [0, 9, 0, 0, 0, 0, 0xF0])),
    .pass(0), .sent(.disconnect, [0x50, 0x00, 0x13]), .client(),
    // The address type may be that of a resolved address.
    .receive(Events.connected(0x0051, peer: [2, 2, 0, 0, 0, 0, 0xF0])),
    .also { expect($0.takeEvents().count, is: 1) }, .links(1)),
  Scenario(
    "a link ends when its handle is reused", on: { ScriptedCentral<2>.connected() },
    .set(\.reusesHandle, true), .connect(to: .numbered(3)),
    .client(.disconnected(0, .unspecifiedError), .connected(0, .numbered(3), .central))),
  Scenario(
    "a controller that never reports the end of a link is reset",
    on: { ScriptedCentral<1>.connected() },
    .set(\.completesDisconnections, false), .disconnect(at: 0),
    // 2 s (supervision) + 2 × 2 s
    .pass(5_999), .client(), .pass(1),
    .client(
      .disconnected(0, .hardwareFailure), .radio(.fault(.unanswered(.disconnect))), .radio(.silent)),
    .canConnect(true)),
  Scenario(
    "a link that the controller does not know ends", on: { ScriptedCentral<1>.connected() },
    .script { opcode, _ in opcode == .disconnect ? [Events.status(opcode, 0x02)] : nil },
    .disconnect(at: 0),
    .also { expect($0.takeEvents().first, is: .disconnected(0, .unspecifiedError)) }, .links(0)),
  Scenario(
    "shutting down ends the attempt, the scan and every link",
    on: { ScriptedCentral<2>.connected() },
    .set(\.completesConnections, false), .scan(ScanParameters()), .connect(to: .numbered(3)),
    .shutDown, .isShutDown(false), .run, .isShutDown(true),
    .client(
      .disconnected(0, .connectionTerminatedByLocalHost),
      .connectionFailed(.unknownConnectionIdentifier)),
    .cannotConnect(to: .numbered(4))),
  // Symptom: a host whose only work was a scan was shut down before the scan was off.
  Scenario(
    "shutting down waits until the scan is off",
    .scan(ScanParameters()), .shutDown, .isShutDown(false), .run, .isShutDown(true),
    .lastSent(.leSetScanEnable, [0, 0])),
]

private let cancelled: [HostScenario] = [
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

@Suite("Host: connecting to peripherals")
struct ConnectingTests {
  @Test("Links are made and end, and attempts are cancelled", arguments: scenarios + cancelled)
  func scenario(_ scenario: HostScenario) throws {
    try scenario.run(on: ScriptedCentral<1>.ready())
  }

  @Test("ends unrequested links", arguments: [UInt8(0), 1])
  func unwanted(role: UInt8) {
    let central = ScriptedCentral<2>.ready()
    central.receive(Events.connected(0x0050, peer: [0, 9, 0, 0, 0, 0, 0xF0], role: role))
    central.pass(milliseconds: 2_000)
    expect(central.parameters(of: .disconnect), is: [[0x50, 0x00, 0x13]])
    expect(central.takeEvents(), is: [])
    expect(central.connectionCount, is: 0)
  }

  @Test(
    "a controller that leaves a command unanswered is reset, and the attempt fails",
    arguments: [HCIOpcode.leCreateConnection, .leCreateConnectionCancel])
  func unanswered(opcode: HCIOpcode) {
    let central = ScriptedCentral<1>.ready()
    central.script = { code, _ in
      code == opcode ? [] : code == .leCreateConnection ? [Events.status(code)] : nil
    }
    central.connect(to: .numbered(2))
    if opcode == .leCreateConnectionCancel { central.cancelConnection() }
    central.pass(milliseconds: 2_000)
    let events = central.takeEvents()
    expect(events.filter { $0 == .connectionFailed(.hardwareFailure) }.count, is: 1)
    expect(events.contains(.radio(.fault(.unanswered(opcode)))))
    expect(central.radio, is: .silent)
    expect(central.canConnect)
  }

  @Test("an attempt before the start-up begins when the controller is ready")
  func early() {
    let central = ScriptedCentral<1>()
    central.host.start(at: central.now)
    expect(central.host.connect(to: .numbered(2)), is: true)
    central.run()
    expect(central.takeEvents(), is: [.radio(.silent), .connected(0, .numbered(2), .central)])
  }

  @Test("truncated link events are ignored")
  func truncated() {
    let central = ScriptedCentral<2>.connected()
    let events = [
      Events.connected(0x0041, peer: [0, 3, 0, 0, 0, 0, 0xF0]),
      Events.disconnected(0x40, reason: 0x13), Events.completedPackets(of: 0x40),
    ]
    for event in events { central.receiveTruncated(event) }
    expect(central.takeEvents(), is: [])
    expect(central.connectionCount, is: 1)
  }
}
