import BluetoothHost
import Expectations

@testable import CoreBluetooth

/// A peer that connects to this device, which uses the same link as a client.
@Suite("Asking a peer over the link that it made")
struct AdoptedLinkTests {
  private let handle7 = handle(7)

  /// A device to which `F0:00:00:00:00:02` has connected.
  private func visited() -> (central: CentralRecorder, radio: ScriptedRadio) {
    let (central, radio) = readyDevice()
    radio.give(ScriptedRadio.connected(0x0050, to: .numbered(2), role: .peripheral))
    expect(radio.runEvents(), is: [])
    return (central, radio)
  }

  @Test("the link serves both sides: no second one is made")
  func asked() {
    let (central, radio) = visited()
    radio.peer = { _ in [[0x0B, 0x41]] }
    let link = central.connect(to: .numbered(2))
    let operation = central.perform(.read(handle7), on: link)
    expect(
      radio.runEvents(),
      is: [
        .connected(link, peer: .numbered(2)), .completed(operation, link, .success(.value([0x41]))),
      ])
    expect(!radio.commands.contains(.leCreateConnection))
  }

  @Test("the link is given up but not ended, and can be used again")
  func givenUp() {
    let (central, radio) = visited()
    let link = central.connect(to: .numbered(2))
    let value = [UInt8](repeating: 0x41, count: 40)
    let write = central.perform(.write(handle7, value), on: link)
    radio.run()
    // The first part is prepared, and has no response yet.
    central.disconnect(link)
    expect(
      radio.runEvents(),
      is: [
        .connected(link, peer: .numbered(2)), .completed(write, link, .failure(.disconnected)),
        .disconnected(link, nil),
      ])
    expect(!radio.commands.contains(.disconnect))
    // The next operation waits for the response to the abandoned one.
    let second = central.connect(to: .numbered(2))
    let read = central.perform(.read(handle7), on: second)
    expect(radio.runEvents(), is: [.connected(second, peer: .numbered(2))])
    expect(radio.frames.map { $0.payload[0] }, is: [0x16])
    radio.peer = { pdu in
      switch pdu[0] {
      case 0x16: [[0x17] + pdu.dropFirst()]
      case 0x18: [[0x19]]
      default: [[0x0B, 0x42]]
      }
    }
    radio.answerLast()
    expect(radio.takeEvents(), is: [.completed(read, second, .success(.value([0x42])))])
    // 40 = 18 + 18 + 4 bytes; executed; then the read.
    expect(radio.frames.map { $0.payload[0] }, is: [0x16, 0x16, 0x16, 0x18, 0x0A])
  }

  @Test("the MTU is exchanged once, however often the link is given up and used again")
  func exchangedOnce() {
    let (central, radio) = visited()
    radio.peer = { _ in [[0x03, 100, 0]] }
    for _ in 0..<2 {
      let link = central.connect(to: .numbered(2))
      let exchange = central.perform(.exchangeMTU, on: link)
      radio.run()
      expect(radio.host.outcomes[exchange], is: ATTMTU(100).map { .success(.mtu($0)) })
      central.disconnect(link)
    }
    expect(radio.frames.map(\.payload), is: [[0x02, 0x05, 0x02]])
  }

  @Test("stays open when its encryption fails: the peer decides what its link is worth")
  func encryptionFails() {
    let (central, radio) = visited()
    let link = central.connect(to: .numbered(2))
    _ = radio.runEvents()
    central.engine.encryptionFailed(.pinOrKeyMissing, at: 0)
    radio.run()
    expect(!radio.commands.contains(.disconnect))
    expect(radio.takeEvents(), is: [])
    radio.peer = { _ in [[0x0B, 0x41]] }
    let read = central.perform(.read(handle7), on: link)
    expect(radio.runEvents(), is: [.completed(read, link, .success(.value([0x41])))])
  }

  @Test("a peer that connects during the attempt to connect to it ends the attempt")
  func duringAttempt() {
    let (central, radio) = readyDevice()
    radio.held = [.leCreateConnection]
    let link = central.connect(to: .numbered(2))
    radio.run()
    radio.give(ScriptedRadio.connected(0x0050, to: .numbered(2), role: .peripheral))
    radio.run()
    expect(radio.commands.last, is: .leCreateConnectionCancel)
    expect(radio.takeEvents(), is: [.connected(link, peer: .numbered(2))])
  }
}
