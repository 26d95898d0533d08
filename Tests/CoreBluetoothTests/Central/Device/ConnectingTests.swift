import BluetoothHost
import Expectations

@testable import CoreBluetooth

@Suite("Connecting and disconnecting")
struct ConnectingTests {
  @Test(
    "a link that is made before or after its cancellation reaches the controller is closed",
    arguments: [false, true])
  func cancelTooLate(isCancelSent: Bool) {
    let (central, radio) = readyDevice()
    let connected = ScriptedRadio.connected(0x0040, to: .numbered(2))
    radio.script = { opcode, _ in
      switch opcode {
      case .leCreateConnection: [ScriptedRadio.status(opcode)]
      case .leCreateConnectionCancel: [ScriptedRadio.complete(opcode, [0x0C]), connected]
      default: nil
      }
    }
    let link = central.connect(to: .numbered(2))
    radio.run()
    central.disconnect(link)
    if !isCancelSent { radio.give(connected) }
    radio.run()
    expect(radio.commands.contains(.leCreateConnectionCancel), is: isCancelSent)
    radio.pass(0)
    expect(radio.takeEvents(), is: [.connectionFailed(link, nil)])
    expect(radio.commands.last, is: .disconnect)
    expect(central.links.isEmpty)
    // The next one is made.
    let next = central.connect(to: .numbered(3))
    radio.script = { _, _ in nil }
    expect(radio.runEvents(), is: [.connected(next, peer: .numbered(3))])
  }

  @Test(
    "a link with the index and the handle of the last one has none of its operations or state",
    arguments: [LinkEnd.disconnected(.connectionTimeout), .disconnected(.unspecifiedError)])
  func reused(reason: LinkEnd) {
    let (central, radio, first) = connectedDevice()
    radio.peer = { $0[0] == 0x02 ? [[0x03, 100, 0]] : [] }
    let exchange = central.perform(.exchangeMTU, on: first)
    // The first has no response yet, and the second waits for it.
    let reads = (1...2).map { central.perform(.read(handle($0)), on: first) }
    radio.answer(.leCreateConnection) { [unowned radio] opcode, parameters in
      [ScriptedRadio.status(opcode), radio.connected(radio.lastHandle, to: parameters)]
    }
    radio.run()
    // Without its event, the next link's Connection Complete ends the first link.
    if reason == .disconnected(.connectionTimeout) {
      radio.give(ScriptedRadio.disconnected(radio.lastHandle, 0x08))
    }
    let second = central.connect(to: .numbered(3))
    radio.run()
    let agreed = ATTMTU(100).map { OperationOutput.mtu($0) }
    expect(radio.host.outcomes[exchange], is: agreed.map { .success($0) })
    expect(
      radio.takeEvents().dropFirst(),
      is: reads.map { .completed($0, first, .failure(.disconnected)) } + [
        .disconnected(first, reason), .connected(second, peer: .numbered(3)),
      ])
    radio.givePDU([0x0B, 1])
    expect(radio.takeEvents(), is: [])
    // The MTU is exchanged anew; the ended link's identifier does not end the new link.
    central.disconnect(first)
    let again = central.perform(.exchangeMTU, on: second)
    expect(radio.runEvents(), is: agreed.map { [.completed(again, second, .success($0))] })
    expect(radio.frames.map { $0.payload[0] }, is: [0x02, 0x0A, 0x02])
  }

  @Test("operations of a cancelled link end at once, and the link later")
  func endedOperations() {
    let (central, radio, link) = connectedDevice()
    let ids = (1...2).map { central.perform(.read(handle($0)), on: link) }
    radio.run()
    central.disconnect(link)
    expect(radio.takeEvents(), is: ids.map { .completed($0, link, .failure(.disconnected)) })
    let late = central.perform(.read(handle(3)), on: link)
    expect(radio.takeEvents(), is: [.completed(late, link, .failure(.disconnected))])
    expect(radio.runEvents(), is: [.disconnected(link, nil)])
  }

  @Test("an operation on a link that the host is ending ends with the link")
  func whileEnding() {
    let (central, radio, link) = connectedDevice()
    radio.held = [.disconnect]
    radio.device.host.disconnect(at: 0)
    radio.run()
    let read = central.perform(.read(handle(3)), on: link)
    expect(radio.runEvents(), is: [])
    radio.give(ScriptedRadio.disconnected(radio.lastHandle, 0x16))
    expect(
      radio.takeEvents(),
      is: [
        .completed(read, link, .failure(.disconnected)),
        .disconnected(link, .disconnected(.connectionTerminatedByLocalHost)),
      ])
  }
}
