import BluetoothHost
import Testing

/// Core Specification, Vol 4, Part E, 7.5.4.
@Suite("Host: the signal strength of a peer")
struct RSSITests {
  private func central(answering results: [UInt8]?) -> ScriptedCentral<2> {
    let central = ScriptedCentral<2>.connected()
    central.script = { opcode, _ in
      opcode == .readRSSI ? results.map { [Events.complete(opcode, $0)] } ?? [] : nil
    }
    return central
  }

  @Test("is read during an operation")
  func read() {
    let central = central(answering: [0, 0x40, 0, UInt8(bitPattern: -61)])
    central.perform(.read(handle(3)))
    central.host.readRSSI(at: 0)
    central.run()
    #expect(central.parameters(of: .readRSSI) == [[0x40, 0x00]])
    #expect(central.takeEvents() == [.rssi(-61)])
    // There are no links at these indices.
    central.host.readRSSI(at: 1)
    central.host.readRSSI(at: -1)
    central.run()
    #expect(central.parameters(of: .readRSSI).count == 1)
  }

  @Test(
    "is unknown if the controller does not report it",
    arguments: [[0, 0x40, 0x00, 127], [0x0C, 0x40, 0x00, 0], [0x01], [0, 0x40], []] as [[UInt8]])
  func unknown(results: [UInt8]) {
    let central = central(answering: results)
    central.host.readRSSI(at: 0)
    central.run()
    #expect(central.takeEvents() == [.rssi(nil)])
    #expect(central.connectionCount == 1)
  }

  @Test("is unknown if the controller does not know the link, which then ends")
  func missingLink() {
    let central = central(answering: [0x02, 0x40, 0x00, 0])
    central.host.readRSSI(at: 0)
    central.run()
    #expect(central.takeEvents().prefix(2) == [.rssi(nil), .disconnected(0, .unspecifiedError)])
  }

  @Test("is unknown if the controller leaves the command unanswered")
  func unanswered() {
    let central = central(answering: nil)
    central.host.readRSSI(at: 0)
    central.run()
    central.pass(milliseconds: 2_000)
    #expect(central.takeEvents() == [.rssi(nil)])
    #expect(central.connectionCount == 1)
  }

  @Test(
    "the host's own check of a silent link is not reported",
    arguments: [[0, 0x40, 0x00, 0], nil] as [[UInt8]?])
  func ownCheck(results: [UInt8]?) {
    let central = central(answering: results)
    central.pass(milliseconds: 62_000)
    #expect(central.parameters(of: .readRSSI) == [[0x40, 0x00]])
    #expect(central.takeEvents() == [])
    #expect(central.connectionCount == 1)
  }

  @Test("is not reported for a link that has ended")
  func linkEnds() {
    let central = central(answering: nil)
    central.host.readRSSI(at: 0)
    central.run()
    central.receive(Events.disconnected(0x40, reason: 0x13))
    central.pass(milliseconds: 2_000)
    #expect(central.takeEvents() == [.disconnected(0, .remoteUserTerminatedConnection)])
    // The next link at its index reports no strength.
    central.connect(to: .numbered(3))
    #expect(central.takeEvents() == [.connected(0, .numbered(3), .central)])
  }
}
