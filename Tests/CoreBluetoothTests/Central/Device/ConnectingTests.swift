import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("Connecting and disconnecting")
struct ConnectingTests {
  @Test("a link that is made before its cancellation reaches the host is closed")
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
    // The next one is made.
    let next = central.connect(to: .numbered(3))
    radio.script = { _, _ in nil }
    radio.run()
    #expect(radio.takeEvents() == [.connected(next, peer: .numbered(3))])
  }

  @Test("an operation on an ended link fails at once")
  func unknownLink() {
    let (central, radio) = readyDevice()
    let link = LinkID(rawValue: 77)
    let operation = central.perform(.exchangeMTU, on: link)
    #expect(radio.takeEvents() == [.completed(operation, link, .failure(.disconnected))])
  }

  @Test("operations requested before the link is made are carried out then")
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

  @Test("operations of a cancelled link end at once, and the link later")
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
