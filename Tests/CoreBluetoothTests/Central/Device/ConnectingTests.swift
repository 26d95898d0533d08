import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("Connecting and disconnecting")
struct ConnectingTests {
  @Test("connects, and is disconnected by the peer")
  func peerDisconnects() {
    let (central, radio) = readyDevice()
    let link = central.connect(to: .numbered(2))
    radio.run()
    #expect(radio.takeEvents() == [.connected(link, peer: .numbered(2))])
    radio.give(ScriptedRadio.disconnected(radio.lastHandle, 0x13))
    #expect(
      radio.takeEvents() == [
        .disconnected(link, .controller(.remoteUserTerminatedConnection))
      ])
    #expect(radio.deadline == nil)
  }

  @Test("does not scan while it connects, and does so again afterwards")
  func scanPaused() {
    let (central, radio) = readyDevice()
    central.scan()
    radio.run()
    _ = central.connect(to: .numbered(2))
    radio.run()
    #expect(
      Array(radio.commands.suffix(6)) == [
        .leSetScanParameters, .leSetScanEnable, .leSetScanEnable, .leCreateConnection,
        .leSetScanParameters, .leSetScanEnable,
      ])
  }

  @Test("makes several links, one after another")
  func several() {
    let (central, radio) = readyDevice()
    let links = (2...5).map { central.connect(to: .numbered($0)) }
    radio.run()
    #expect(
      radio.takeEvents()
        == zip(links, 2...5).map { .connected($0, peer: .numbered($1)) })
    central.disconnect(links[1])
    radio.run()
    #expect(
      radio.takeEvents() == [
        .disconnected(links[1], .controller(.connectionTerminatedByLocalHost))
      ])
    #expect(central.links.count == 3)
  }

  @Test("a controller that ignores the cancel does not hold up the caller")
  func cancelIgnored() {
    let (central, radio) = readyDevice()
    radio.script = { opcode, _ in
      switch opcode {
      case .leCreateConnection: [ScriptedRadio.status(opcode)]
      case .leCreateConnectionCancel: [ScriptedRadio.complete(opcode, [0x0C])]
      default: nil
      }
    }
    let link = central.connect(to: .numbered(2))
    radio.run()
    central.disconnect(link)
    radio.run()
    #expect(radio.takeEvents() == [])
    radio.pass(2_000)
    #expect(radio.takeEvents() == [.connectionFailed(link, .cancelled)])

    // The link comes after all: it is closed, and the caller never hears of it.
    radio.give(ScriptedRadio.connected(0x0040, to: .numbered(2)))
    radio.pass(0)
    #expect(radio.commands.last == .disconnect)
    #expect(radio.takeEvents() == [])
  }

  @Test("a link that is made just as it is cancelled is closed")
  func cancelTooLate() {
    let (central, radio) = readyDevice()
    radio.script = { opcode, _ in
      switch opcode {
      case .leCreateConnection: [ScriptedRadio.status(opcode)]
      case .leCreateConnectionCancel:
        [
          ScriptedRadio.complete(opcode, [0]), ScriptedRadio.connected(0x0040, to: .numbered(2)),
        ]
      default: nil
      }
    }
    let link = central.connect(to: .numbered(2))
    radio.run()
    central.disconnect(link)
    radio.run()
    radio.pass(0)
    #expect(radio.takeEvents() == [.connectionFailed(link, .cancelled)])
    #expect(radio.commands.last == .disconnect)
    #expect(central.links.isEmpty)
  }

  @Test("a link that is made before the host knows that it is cancelled is closed")
  func cancelUnknown() {
    let (central, radio) = readyDevice()
    radio.script = { opcode, _ in
      opcode == .leCreateConnection ? [ScriptedRadio.status(opcode)] : nil
    }
    let link = central.connect(to: .numbered(2))
    radio.run()
    central.disconnect(link)
    radio.give(ScriptedRadio.connected(0x0040, to: .numbered(2)))
    radio.run()
    #expect(radio.takeEvents() == [.connectionFailed(link, .cancelled)])
    #expect(radio.commands.last == .disconnect)
    #expect(central.links.isEmpty)
    // And the next one is made.
    let next = central.connect(to: .numbered(3))
    radio.script = { _, _ in nil }
    radio.run()
    #expect(radio.takeEvents() == [.connected(next, peer: .numbered(3))])
  }

  @Test("an attempt that waits for its turn can be given up")
  func waiting() {
    let (central, radio) = readyDevice()
    radio.script = { opcode, _ in
      opcode == .leCreateConnection ? [ScriptedRadio.status(opcode)] : nil
    }
    _ = central.connect(to: .numbered(2))
    let second = central.connect(to: .numbered(3))
    radio.run()
    central.disconnect(second)
    radio.pass(100)
    #expect(radio.takeEvents() == [.connectionFailed(second, .cancelled)])
    #expect(radio.commands.last == .leCreateConnection)
  }

  @Test("closes a link of the central role that was not asked for")
  func unwanted() {
    let (_, radio) = readyDevice()
    radio.give(ScriptedRadio.connected(0x0050, to: .numbered(9)))
    radio.pass(0)
    #expect(radio.commands.last == .disconnect)
    #expect(radio.takeEvents() == [])
  }

  @Test("a link whose number is given to another is over")
  func handleReused() {
    let (central, radio, first) = connectedDevice()
    radio.script = { opcode, parameters in
      guard opcode == .leCreateConnection else { return nil }
      return [ScriptedRadio.status(opcode), radio.connected(radio.lastHandle, to: parameters)]
    }
    let second = central.connect(to: .numbered(3))
    radio.run()
    #expect(
      radio.takeEvents() == [
        .disconnected(first, .controller(.unspecifiedError)),
        .connected(second, peer: .numbered(3)),
      ])
  }

  @Test("an unanswered command starts the controller again")
  func unanswered() {
    let (central, radio) = readyDevice()
    radio.script = { opcode, _ in opcode == .leCreateConnection ? [] : nil }
    let link = central.connect(to: .numbered(2))
    let waiting = central.connect(to: .numbered(3))
    radio.run()
    radio.script = { _, _ in nil }
    radio.pass(2_000)
    #expect(
      radio.takeEvents() == [
        .radioFault(.unanswered(.leCreateConnection)), .connectionFailed(link, .radioLost),
        .ready, .connected(waiting, peer: .numbered(3)),
      ])
  }

  @Test("an operation on a link that is no more fails at once")
  func unknownLink() {
    let (central, radio) = readyDevice()
    let link = LinkID(rawValue: 77)
    let operation = central.perform(.exchangeMTU, on: link)
    #expect(radio.takeEvents() == [.completed(operation, link, .failure(.disconnected))])
  }

  @Test("operations asked for before the link is made are carried out then")
  func earlyOperation() {
    let (central, radio) = readyDevice()
    radio.peer = { _ in [[0x0B, 0x41]] }
    let link = central.connect(to: .numbered(2))
    let operation = central.perform(.read(AttributeHandle(rawValue: 3)), on: link)
    radio.run()
    #expect(
      radio.takeEvents() == [
        .connected(link, peer: .numbered(2)),
        .completed(operation, link, .success(.value([0x41]))),
      ])
  }

  @Test("a controller that never reports the end of a link is reset")
  func unconfirmed() {
    let (central, radio, link) = connectedDevice()
    radio.script = { opcode, _ in opcode == .disconnect ? [ScriptedRadio.status(opcode)] : nil }
    central.disconnect(link)
    radio.run()
    // 2,000 (supervision time-out) + 2 × 2,000 (patience) = 6,000 ms
    radio.pass(5_999)
    #expect(radio.takeEvents() == [])
    radio.pass(1)
    #expect(
      radio.takeEvents() == [
        .radioFault(.unanswered(.disconnect)), .disconnected(link, .radioLost), .ready,
      ])
  }

  @Test("a controller that knows the last link no more is set up again")
  func alreadyGone() {
    let (central, radio, link) = connectedDevice()
    radio.script = { opcode, _ in
      opcode == .disconnect ? [ScriptedRadio.status(opcode, .unknownConnectionIdentifier)] : nil
    }
    central.disconnect(link)
    radio.run()
    #expect(
      radio.takeEvents() == [
        .disconnected(link, .controller(.unspecifiedError)), .restarted, .ready,
      ])
  }

  @Test("operations of a link that is given up end at once, and the link later")
  func endedOperations() {
    let (central, radio, link) = connectedDevice()
    let ids = (1...2).map { central.perform(.read(handle($0)), on: link) }
    radio.run()
    central.disconnect(link)
    #expect(
      radio.takeEvents() == ids.map { .completed($0, link, .failure(.disconnected)) })
    let late = central.perform(.read(handle(3)), on: link)
    #expect(radio.takeEvents() == [.completed(late, link, .failure(.disconnected))])
    radio.run()
    #expect(
      radio.takeEvents() == [.disconnected(link, .controller(.connectionTerminatedByLocalHost))])
  }
}
