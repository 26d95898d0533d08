import BluetoothHost
import Testing

@Suite("Host: attempts to connect that are cancelled")
struct CancelledConnectionTests {
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

  @Test("cancels an attempt")
  func cancelled() {
    let central = ScriptedCentral<1>.ready { $0.holdConnections() }
    central.connect(to: .numbered(2))
    central.host.cancelConnection()
    central.run()
    #expect(central.commands.last == .leCreateConnectionCancel)
    #expect(central.takeEvents() == [.connectionFailed(.unknownConnectionIdentifier)])
    #expect(central.deadline == nil)
    #expect(central.canConnect)
    central.host.cancelConnection()
    central.run()
    #expect(central.takeEvents() == [])
  }

  @Test("cancels an attempt before its command is sent")
  func cancelledEarly() {
    let central = ScriptedCentral<1>.ready()
    _ = central.host.connect(to: .numbered(2))
    central.host.cancelConnection()
    central.run()
    #expect(!central.commands.contains(.leCreateConnection))
    #expect(central.takeEvents() == [.connectionFailed(.unknownConnectionIdentifier)])
  }

  @Test("a controller that ignores the cancel delays the end by 2 s; its late link is ended")
  func cancelIgnored() {
    let central = ignoringCancel()
    central.connect(to: .numbered(2))
    central.host.cancelConnection()
    central.run()
    #expect(central.takeEvents() == [])
    central.pass(milliseconds: 1_999)
    #expect(central.takeEvents() == [])
    central.pass(milliseconds: 1)
    #expect(central.takeEvents() == [.connectionFailed(.unknownConnectionIdentifier)])
    #expect(central.canConnect)

    central.receive(Events.connected(0x0040, peer: [0, 2, 0, 0, 0, 0, 0xF0]))
    central.pass(milliseconds: 0)
    #expect(central.parameters(of: .disconnect) == [[0x40, 0x00, 0x13]])
    #expect(central.takeEvents() == [])
    #expect(central.connectionCount == 0)
  }

  @Test("a scan goes on after a cancelled attempt whose end was never reported")
  func scanAfterCancelIgnored() {
    let central = ignoringCancel()
    central.connect(to: .numbered(2))
    central.host.scan(ScanParameters())
    central.host.cancelConnection()
    central.run()
    #expect(!central.commands.contains(.leSetScanEnable))
    central.pass(milliseconds: 2_000)
    #expect(central.parameters(of: .leSetScanEnable) == [[1, 1]])
  }

  @Test("a link that is made just as it is cancelled is ended")
  func cancelTooLate() {
    let central = ScriptedCentral<1>.ready()
    central.script = { opcode, parameters in
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
    central.connect(to: .numbered(2))
    central.host.cancelConnection()
    central.run()
    central.pass(milliseconds: 0)
    #expect(central.takeEvents() == [.connectionFailed(.unknownConnectionIdentifier)])
    #expect(central.parameters(of: .disconnect) == [[0x40, 0x00, 0x13]])
    #expect(central.connectionCount == 0)
  }
}
