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

  @Test("is read, past an operation under way")
  func read() {
    let central = central(answering: [0, 0x40, 0, UInt8(bitPattern: -61)])
    central.perform(.read(handle(3)))
    central.host.readRSSI(at: 0)
    central.run()
    #expect(central.parameters(of: .readRSSI) == [[0x40, 0x00]])
    #expect(central.takeEvents() == [.rssi(-61)])
    // There is no such link.
    central.host.readRSSI(at: 1)
    central.host.readRSSI(at: -1)
    central.run()
    #expect(central.parameters(of: .readRSSI).count == 1)
  }

  @Test(
    "is unknown where the controller does not say it",
    arguments: [[0, 0x40, 0x00, 127], [0x0C, 0x40, 0x00, 0], [0x01], [0, 0x40], []] as [[UInt8]])
  func unknown(results: [UInt8]) {
    let central = central(answering: results)
    central.host.readRSSI(at: 0)
    central.run()
    #expect(central.takeEvents() == [.rssi(nil)])
    #expect(central.connectionCount == 1)
  }

  @Test("is unknown where the controller no longer knows the link, which has ended then")
  func missingLink() {
    let central = central(answering: [0x02, 0x40, 0x00, 0])
    central.host.readRSSI(at: 0)
    central.run()
    #expect(central.takeEvents().prefix(2) == [.rssi(nil), .disconnected(0, .unspecifiedError)])
  }

  @Test("is unknown where the controller leaves the command unanswered")
  func unanswered() {
    let central = central(answering: nil)
    central.host.readRSSI(at: 0)
    central.run()
    central.pass(milliseconds: 2_000)
    #expect(central.takeEvents() == [.rssi(nil)])
    #expect(central.connectionCount == 1)
  }

  @Test(
    "nothing is reported that was not asked for: a minute's silence makes the host read it",
    arguments: [[0, 0x40, 0x00, 0], nil] as [[UInt8]?])
  func ownCheck(results: [UInt8]?) {
    let central = central(answering: results)
    central.pass(milliseconds: 62_000)
    #expect(central.parameters(of: .readRSSI) == [[0x40, 0x00]])
    #expect(central.takeEvents() == [])
    #expect(central.connectionCount == 1)
  }

  @Test("nothing is reported of a link that ends before")
  func linkEnds() {
    let central = central(answering: nil)
    central.host.readRSSI(at: 0)
    central.run()
    central.receive(Events.disconnected(0x40, reason: 0x13))
    central.pass(milliseconds: 2_000)
    #expect(central.takeEvents() == [.disconnected(0, .remoteUserTerminatedConnection)])
    // The next link at its place has not asked.
    central.connect(to: .numbered(3))
    #expect(central.takeEvents() == [.connected(0, .numbered(3), .central)])
  }
}
