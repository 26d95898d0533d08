import BluetoothHost
import Testing

/// Core Specification, Vol 3, Part F, 3.3.3.
@Suite("Timeouts of a client's requests")
struct ClientTimeoutTests {
  @Test("30 s without a response end the link")
  func transactionTimeout() {
    let central = ScriptedCentral<1>.connected()
    central.perform(.read(handle(7)))
    central.pass(milliseconds: 29_999)
    #expect(central.takeEvents() == [])
    central.pass(milliseconds: 1)
    #expect(
      central.takeEvents() == [
        .ended(.read(handle(7)), .timedOut),
        .disconnected(0, .connectionTerminatedByLocalHost),
      ])
  }

  @Test("each request has its own 30 s, and a response ends the wait")
  func timePerRequest() {
    let central = ScriptedCentral<1>.connected()
    central.perform(.read(handle(7)))
    for _ in 0..<4 {
      central.pass(milliseconds: 29_000)
      central.send([0x0B + (central.pdus.count > 1 ? 2 : 0)] + [UInt8](repeating: 0x41, count: 22))
    }
    #expect(central.pdus.count == 5)
    central.send([0x0D])
    #expect(central.takeEvents().endings == [nil])
    central.pass(milliseconds: 29_999)
    central.pass(milliseconds: 29_999)
    #expect(central.connectionCount == 1)
    #expect(central.takeEvents() == [])
  }

  @Test("the 30 s begin when the controller has the whole request")
  func timeOfLastFragment() {
    let central = ScriptedCentral<1>.connected { $0.buffers = (27, 1) }
    central.peer = { _ in [[0x03, 0x05, 0x02]] }
    central.perform(.exchangeMTU)
    central.peer = { _ in [] }
    _ = central.takeEvents()
    central.completesPackets = false
    central.perform(.write(handle(7), byteCount: 40), writing: [UInt8](counting: 40))
    central.pass(milliseconds: 1_000)
    central.completesPackets = true
    central.receive(Events.completedPackets(of: central.lastHandle))
    central.pass(milliseconds: 29_999)
    #expect(central.takeEvents() == [])
    central.pass(milliseconds: 1)
    #expect(central.takeEvents().endings == [.timedOut])
  }

  @Test("a response that comes after its 30 s is ignored")
  func lateResponse() {
    let central = ScriptedCentral<1>.connected()
    central.script = { opcode, _ in opcode == .disconnect ? [Events.status(opcode)] : nil }
    central.perform(.read(handle(7)))
    central.pass(milliseconds: 30_000)
    #expect(central.takeEvents().endings == [.timedOut])
    central.send([0x0B, 1])
    #expect(central.takeEvents() == [])
    #expect(!central.perform(.read(handle(7))))
  }
}
