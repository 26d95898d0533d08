import BluetoothHost
import Testing

@testable import BluetoothCentral

@Suite("Connecting and disconnecting")
struct ConnectionTests {
  @Test("connects, and is disconnected by the peer")
  func peerDisconnects() {
    let (central, radio) = readyCentral()
    let link = central.connect(to: .numbered(2), at: radio.now)
    radio.run()
    #expect(central.takeEvents() == [.connected(link, peer: .numbered(2))])
    radio.give(ScriptedRadio.disconnected(radio.lastHandle, 0x13))
    #expect(
      central.takeEvents() == [
        .disconnected(link, .controller(.remoteUserTerminatedConnection))
      ])
    #expect(central.deadline == nil)
  }

  @Test("reads the enhanced form of the event")
  func enhanced() {
    let (central, radio) = readyCentral()
    radio.script = { opcode, parameters in
      guard opcode == .leCreateConnection else { return nil }
      var event = radio.connected(0x0040, to: parameters)
      event[3] = 0x0A
      // 3 (header) + 1 (subevent) + 1 (status) + 2 (handle) + 1 (role) + 7 (peer) = 15
      event.insert(contentsOf: [UInt8](repeating: 0, count: 12), at: 15)
      event[2] += 12
      return [ScriptedRadio.status(opcode), event]
    }
    let link = central.connect(to: .numbered(2), at: radio.now)
    radio.run()
    #expect(central.takeEvents() == [.connected(link, peer: .numbered(2))])
  }

  @Test("does not scan while it connects, and does so again afterwards")
  func scanPaused() {
    let (central, radio) = readyCentral()
    central.scan()
    radio.run()
    _ = central.connect(to: .numbered(2), at: radio.now)
    radio.run()
    #expect(
      Array(radio.commands.suffix(6)) == [
        .leSetScanParameters, .leSetScanEnable, .leSetScanEnable, .leCreateConnection,
        .leSetScanParameters, .leSetScanEnable,
      ])
  }

  @Test("makes several links, one after another")
  func several() {
    let (central, radio) = readyCentral()
    let links = (2...5).map { central.connect(to: .numbered($0), at: radio.now) }
    radio.run()
    #expect(
      central.takeEvents()
        == zip(links, 2...5).map { .connected($0, peer: .numbered($1)) })
    central.disconnect(links[1], at: radio.now)
    radio.run()
    #expect(
      central.takeEvents() == [
        .disconnected(links[1], .controller(.connectionTerminatedByLocalHost))
      ])
    #expect(central.links.count == 3)
  }

  @Test("cancels an attempt that takes too long")
  func timeout() {
    let (central, radio) = readyCentral()
    radio.script = { opcode, _ in
      opcode == .leCreateConnection ? [ScriptedRadio.status(opcode)] : nil
    }
    let link = central.connect(to: .numbered(2), timeout: 500, at: radio.now)
    radio.run()
    #expect(central.deadline == radio.now.advanced(by: 500))
    radio.pass(499)
    #expect(central.takeEvents() == [])
    radio.pass(1)
    #expect(radio.commands.last == .leCreateConnectionCancel)
    #expect(central.takeEvents() == [.connectionFailed(link, .timedOut)])
    #expect(central.deadline == nil)
  }

  @Test("a controller that ignores the cancel does not hold up the caller")
  func cancelIgnored() {
    let (central, radio) = readyCentral()
    radio.script = { opcode, _ in
      switch opcode {
      case .leCreateConnection: [ScriptedRadio.status(opcode)]
      case .leCreateConnectionCancel: [ScriptedRadio.complete(opcode, [0x0C])]
      default: nil
      }
    }
    let link = central.connect(to: .numbered(2), at: radio.now)
    radio.run()
    central.disconnect(link, at: radio.now)
    radio.run()
    #expect(central.takeEvents() == [])
    radio.pass(2_000)
    #expect(central.takeEvents() == [.connectionFailed(link, .cancelled)])

    // The link comes after all: it is closed, and the caller never hears of it.
    radio.give(ScriptedRadio.connected(0x0040, to: .numbered(2)))
    radio.run()
    #expect(radio.commands.last == .disconnect)
    #expect(central.takeEvents() == [])
  }

  @Test("a link that is made just as it is cancelled is closed")
  func cancelTooLate() {
    let (central, radio) = readyCentral()
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
    let link = central.connect(to: .numbered(2), at: radio.now)
    radio.run()
    central.disconnect(link, at: radio.now)
    radio.run()
    #expect(central.takeEvents() == [.connectionFailed(link, .cancelled)])
    #expect(radio.commands.last == .disconnect)
    #expect(central.links.isEmpty)
  }

  @Test("an attempt that waits for its turn can be given up, or run out of time")
  func waiting() {
    let (central, radio) = readyCentral()
    radio.script = { opcode, _ in
      opcode == .leCreateConnection ? [ScriptedRadio.status(opcode)] : nil
    }
    _ = central.connect(to: .numbered(2), at: radio.now)
    let second = central.connect(to: .numbered(3), at: radio.now)
    let third = central.connect(to: .numbered(4), timeout: 100, at: radio.now)
    radio.run()
    central.disconnect(second, at: radio.now)
    radio.pass(100)
    #expect(
      central.takeEvents() == [
        .connectionFailed(second, .cancelled), .connectionFailed(third, .timedOut),
      ])
  }

  @Test("tells why the controller could not connect")
  func refused() {
    let (central, radio) = readyCentral()
    let failures: [([UInt8], HCIErrorCode)] = [
      (ScriptedRadio.status(.leCreateConnection, .commandDisallowed), .commandDisallowed),
      (ScriptedRadio.connectionFailed(0x3E), .connectionFailedToBeEstablished),
    ]
    for (answer, code) in failures {
      radio.script = { opcode, _ in
        guard opcode == .leCreateConnection else { return nil }
        return answer[1] == 0x0F ? [answer] : [ScriptedRadio.status(opcode), answer]
      }
      let link = central.connect(to: .numbered(2), at: radio.now)
      radio.run()
      #expect(central.takeEvents() == [.connectionFailed(link, .controller(code))])
    }
  }

  @Test("closes links that nobody asked for")
  func unwanted() {
    let (central, radio) = readyCentral()
    radio.give(ScriptedRadio.connected(0x0050, to: .numbered(9)))
    radio.run()
    radio.give(ScriptedRadio.connected(0x0051, to: .numbered(9), role: .peripheral))
    radio.run()
    #expect(Array(radio.commands.suffix(2)) == [.disconnect, .disconnect])
    #expect(central.takeEvents() == [])
  }

  @Test("a link whose number is given to another is over")
  func handleReused() {
    let (central, radio, first) = connectedCentral()
    radio.script = { opcode, parameters in
      guard opcode == .leCreateConnection else { return nil }
      return [ScriptedRadio.status(opcode), radio.connected(radio.lastHandle, to: parameters)]
    }
    let second = central.connect(to: .numbered(3), at: radio.now)
    radio.run()
    #expect(
      central.takeEvents() == [
        .disconnected(first, .unconfirmed), .connected(second, peer: .numbered(3)),
      ])
  }

  @Test("a controller that does not tell of the end is not waited for")
  func unconfirmed() {
    let (central, radio, link) = connectedCentral()
    radio.script = { opcode, _ in opcode == .disconnect ? [ScriptedRadio.status(opcode)] : nil }
    central.disconnect(link, at: radio.now)
    radio.run()
    radio.pass(2_000)
    #expect(central.takeEvents() == [.disconnected(link, .unconfirmed)])
  }

  @Test("a link is not over before the controller could be told to end it")
  func closedGate() {
    let (central, radio, link) = connectedCentral()
    radio.give(ScriptedRadio.complete(.none, [], credits: 0))
    radio.pass(1_000)
    central.disconnect(link, at: radio.now)
    radio.give(ScriptedRadio.complete(.none, [], credits: 0))
    radio.pass(1_500)
    radio.give(ScriptedRadio.complete(.none, [], credits: 0))
    radio.pass(1_500)
    #expect(central.takeEvents() == [])
    radio.give(ScriptedRadio.complete(.none, []))
    radio.run()
    #expect(radio.commands.last == .disconnect)
    #expect(
      central.takeEvents() == [.disconnected(link, .controller(.connectionTerminatedByLocalHost))])
  }

  @Test("a controller that knows the link no more ends it")
  func alreadyGone() {
    let (central, radio, link) = connectedCentral()
    radio.script = { opcode, _ in
      opcode == .disconnect ? [ScriptedRadio.status(opcode, .unknownConnectionIdentifier)] : nil
    }
    central.disconnect(link, at: radio.now)
    radio.run()
    #expect(
      central.takeEvents() == [.disconnected(link, .controller(.unknownConnectionIdentifier))])
  }

  @Test("an unanswered command starts the controller again")
  func unanswered() {
    let (central, radio) = readyCentral()
    radio.script = { opcode, _ in opcode == .leCreateConnection ? [] : nil }
    let link = central.connect(to: .numbered(2), at: radio.now)
    let waiting = central.connect(to: .numbered(3), timeout: 60_000, at: radio.now)
    radio.run()
    radio.script = { _, _ in nil }
    radio.pass(2_000)
    #expect(
      central.takeEvents() == [
        .radioFault(.unanswered(.leCreateConnection)), .connectionFailed(link, .radioLost),
        .ready(address: .numbered(1)), .connected(waiting, peer: .numbered(3)),
      ])
  }

  @Test("an operation on a link that is no more fails at once")
  func unknownLink() {
    let (central, _) = readyCentral()
    let link = LinkID(rawValue: 77)
    let operation = central.perform(.exchangeMTU(.maximum), on: link)
    #expect(central.takeEvents() == [.completed(operation, link, .failure(.disconnected))])
  }

  @Test("operations asked for before the link is made are carried out then")
  func earlyOperation() {
    let (central, radio) = readyCentral()
    radio.peer = { _ in [[0x0B, 0x41]] }
    let link = central.connect(to: .numbered(2), at: radio.now)
    let operation = central.perform(.read(AttributeHandle(rawValue: 3)), on: link)
    radio.run()
    #expect(
      central.takeEvents() == [
        .connected(link, peer: .numbered(2)),
        .completed(operation, link, .success(.value([0x41]))),
      ])
  }

  @Test("events of a link cut short anywhere do no harm")
  func truncated() {
    let (central, radio, _) = connectedCentral()
    let events = [
      ScriptedRadio.connected(0x0041, to: .numbered(3)),
      ScriptedRadio.disconnected(radio.lastHandle, 0x13),
      ScriptedRadio.completed(ConnectionHandle(rawValue: radio.lastHandle)),
    ]
    for event in events {
      for length in 0..<event.count {
        var packet = Array(event.prefix(length))
        radio.give(packet)
        if packet.count > 2 { packet[2] = UInt8(packet.count - 3) }
        radio.give(packet)
      }
    }
    radio.run()
    #expect(central.takeEvents() == [])
    #expect(central.links.count == 1)
  }
}
