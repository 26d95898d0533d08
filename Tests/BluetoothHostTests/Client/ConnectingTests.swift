import BluetoothHost
import Testing

@Suite("Host: connecting to peripherals")
struct ConnectingTests {
  @Test("connects, and reports that the peer disconnects")
  func peerDisconnects() {
    let central = ScriptedCentral<1>.ready()
    #expect(central.canConnect)
    #expect(central.connect(to: .numbered(2)))
    #expect(
      central.parameters(of: .leCreateConnection) == [
        // 60 ms of 60 ms; no filter; the peer; public; 7.5 to 30 ms; no latency; 2 s; no event
        // length.
        [96, 0, 96, 0, 0, 0, 2, 0, 0, 0, 0, 0xF0, 0]
          + [6, 0, 24, 0, 0, 0, 200, 0, 0, 0, 0, 0]
      ])
    #expect(central.takeEvents() == [.connected(0, .numbered(2), .central)])
    #expect(!central.canConnect)
    #expect(!central.connect(to: .numbered(3)))
    central.receive(Events.disconnected(central.lastHandle, reason: 0x13))
    #expect(central.takeEvents() == [.disconnected(0, .remoteUserTerminatedConnection)])
    #expect(central.deadline == nil)
    #expect(central.canConnect)
  }

  /// Core Specification, Vol 4, Part E, 7.7.65.10.
  @Test("reads the enhanced form of the event")
  func enhanced() {
    let central = ScriptedCentral<1>.ready()
    central.script = { opcode, parameters in
      guard opcode == .leCreateConnection else { return nil }
      var event = Events.connected(0x0040, peer: Array(parameters[5..<12]))
      event[3] = 0x0A
      // 3 (header) + 1 (subevent) + 1 (status) + 2 (handle) + 1 (role) + 7 (peer) = 15
      event.insert(contentsOf: [UInt8](repeating: 0, count: 12), at: 15)
      event[2] += 12
      return [Events.status(opcode), event]
    }
    central.connect(to: .numbered(2))
    #expect(central.takeEvents() == [.connected(0, .numbered(2), .central)])
  }

  @Test("does not scan while it connects, and scans again afterwards")
  func scanPaused() {
    let central = ScriptedCentral<1>.ready()
    central.host.scan(ScanParameters())
    central.run()
    central.forgetWhatWasSent()
    central.connect(to: .numbered(2))
    #expect(
      central.commands == [
        .leSetScanEnable, .leCreateConnection, .leSetScanParameters, .leSetScanEnable,
      ])
  }

  @Test("makes several links, one after another")
  func several() {
    let central = ScriptedCentral<4>.ready()
    for number: UInt8 in 2...5 { #expect(central.connect(to: .numbered(number))) }
    #expect(!central.connect(to: .numbered(6)))
    #expect(
      central.takeEvents()
        == (0..<4).map { .connected($0, .numbered(UInt8($0 + 2)), .central) })
    central.host.disconnect(at: 1)
    central.run()
    #expect(central.takeEvents() == [.disconnected(1, .connectionTerminatedByLocalHost)])
    #expect(central.connectionCount == 3)
    // The index is free for the next link.
    #expect(central.connect(to: .numbered(6)))
    #expect(central.takeEvents() == [.connected(1, .numbered(6), .central)])
  }

  @Test("only one attempt runs at a time, and it lasts until it is cancelled")
  func oneAttempt() {
    let central = ScriptedCentral<4>.ready { $0.holdConnections() }
    #expect(central.connect(to: .numbered(2)))
    #expect(!central.canConnect)
    #expect(!central.connect(to: .numbered(3)))
    #expect(central.commands.filter { $0 == .leCreateConnection }.count == 1)
    #expect(central.takeEvents() == [])
    // It lasts until it is cancelled.
    central.pass(milliseconds: 3_600_000)
    #expect(central.takeEvents() == [])
    #expect(central.deadline == nil)
  }

  @Test("reports why the controller could not connect")
  func refused() {
    let central = ScriptedCentral<1>.ready()
    for (status, failure) in [(UInt8(0x0C), nil), (0, UInt8(0x3E))] as [(UInt8, UInt8?)] {
      central.script = { opcode, _ in
        guard opcode == .leCreateConnection else { return nil }
        return [Events.status(opcode, status)]
          + (failure.map { [Events.connectionFailed($0)] } ?? [])
      }
      central.connect(to: .numbered(2))
      let reason = HCIErrorCode(rawValue: failure ?? status)
      #expect(central.takeEvents() == [.connectionFailed(reason)])
      #expect(central.canConnect)
    }
  }

  @Test("ends unrequested links", arguments: [UInt8(0), 1])
  func unwanted(role: UInt8) {
    let central = ScriptedCentral<2>.ready()
    central.receive(
      Events.connected(0x0050, peer: [0, 9, 0, 0, 0, 0, 0xF0], role: role))
    central.pass(milliseconds: 2_000)
    #expect(central.parameters(of: .disconnect) == [[0x50, 0x00, 0x13]])
    #expect(central.takeEvents() == [])
    #expect(central.connectionCount == 0)
  }

  @Test("a link to the wrong peer is ended, and the attempt goes on")
  func wrongPeer() {
    let central = ScriptedCentral<2>.ready { $0.holdConnections() }
    central.connect(to: .numbered(2))
    central.receive(Events.connected(0x0050, peer: [0, 9, 0, 0, 0, 0, 0xF0]))
    central.pass(milliseconds: 0)
    #expect(central.parameters(of: .disconnect) == [[0x50, 0x00, 0x13]])
    #expect(central.takeEvents() == [])
    // The address type may be that of a resolved address.
    central.receive(Events.connected(0x0051, peer: [2, 2, 0, 0, 0, 0, 0xF0]))
    #expect(central.takeEvents().count == 1)
    #expect(central.connectionCount == 1)
  }

  @Test("a link ends when its handle is reused")
  func handleReused() {
    let central = ScriptedCentral<2>.connected()
    central.script = { opcode, parameters in
      guard opcode == .leCreateConnection else { return nil }
      return [Events.status(opcode), Events.connected(0x0040, peer: Array(parameters[5..<12]))]
    }
    central.connect(to: .numbered(3))
    #expect(
      central.takeEvents() == [
        .disconnected(0, .unspecifiedError), .connected(0, .numbered(3), .central),
      ])
  }

  @Test("a controller that never reports the end of a link is reset")
  func unconfirmed() {
    let central = ScriptedCentral<1>.connected()
    central.script = { opcode, _ in opcode == .disconnect ? [Events.status(opcode)] : nil }
    central.host.disconnect(at: 0)
    central.run()
    // 2 s (supervision) + 2 × 2 s
    central.pass(milliseconds: 5_999)
    #expect(central.takeEvents() == [])
    central.pass(milliseconds: 1)
    #expect(
      central.takeEvents() == [
        .disconnected(0, .hardwareFailure), .radio(.fault(.unanswered(.disconnect))),
        .radio(.silent),
      ])
    #expect(central.canConnect)
  }

  @Test("a link that the controller does not know ends")
  func alreadyGone() {
    let central = ScriptedCentral<1>.connected()
    central.script = { opcode, _ in
      opcode == .disconnect ? [Events.status(opcode, 0x02)] : nil
    }
    central.host.disconnect(at: 0)
    central.run()
    #expect(central.takeEvents().first == .disconnected(0, .unspecifiedError))
    #expect(central.connectionCount == 0)
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
    if opcode == .leCreateConnectionCancel {
      central.host.cancelConnection()
      central.run()
    }
    central.pass(milliseconds: 2_000)
    let events = central.takeEvents()
    #expect(events.filter { $0 == .connectionFailed(.hardwareFailure) }.count == 1)
    #expect(events.contains(.radio(.fault(.unanswered(opcode)))))
    #expect(central.radio == .silent)
    #expect(central.canConnect)
  }

  @Test("an attempt before the start-up begins when the controller is ready")
  func early() {
    let central = ScriptedCentral<1>()
    central.host.start(at: central.now)
    let begins = central.host.connect(to: .numbered(2))
    #expect(begins)
    central.run()
    #expect(
      central.takeEvents() == [.radio(.silent), .connected(0, .numbered(2), .central)])
  }

  @Test("shutting down ends the attempt, the scan and every link")
  func shutDown() {
    let central = ScriptedCentral<2>.connected()
    central.holdConnections()
    central.host.scan(ScanParameters())
    central.run()
    central.connect(to: .numbered(3))
    central.host.shutDown()
    #expect(!central.isShutDown)
    central.run()
    #expect(central.isShutDown)
    #expect(
      central.takeEvents() == [
        .disconnected(0, .connectionTerminatedByLocalHost),
        .connectionFailed(.unknownConnectionIdentifier),
      ])
    #expect(!central.connect(to: .numbered(4)))
  }

  /// Symptom: a host whose only work was a scan was shut down before the scan was off.
  @Test("shutting down waits until the scan is off")
  func shutDownScan() {
    let central = ScriptedCentral<1>.ready()
    central.host.scan(ScanParameters())
    central.run()
    central.host.shutDown()
    #expect(!central.isShutDown)
    central.run()
    #expect(central.isShutDown)
    #expect(central.parameters(of: .leSetScanEnable).last == [0, 0])
  }

  @Test("truncated link events are ignored")
  func truncated() {
    let central = ScriptedCentral<2>.connected()
    let events = [
      Events.connected(0x0041, peer: [0, 3, 0, 0, 0, 0, 0xF0]),
      Events.disconnected(0x40, reason: 0x13), Events.completedPackets(of: 0x40),
    ]
    for event in events { central.receiveTruncated(event) }
    #expect(central.takeEvents() == [])
    #expect(central.connectionCount == 1)
  }
}
