import BluetoothHost
import Expectations

@testable import CoreBluetooth

/// Attempts that continue until they succeed.
@Suite("Attempts to connect and their turns")
struct TurnTests {
  /// A radio on which only the peers with these numbers respond.
  private func central(
    reaching numbers: @escaping () -> [UInt8] = { [] }
  ) -> (central: CentralRecorder, radio: ScriptedRadio, attempts: Attempts) {
    let (central, radio) = readyDevice()
    let attempts = Attempts()
    radio.answer(.leCreateConnection) { [unowned radio] opcode, parameters in
      // 2 (interval) + 2 (window) + 1 (policy) + 1 (kind): the peer's number.
      attempts.numbers.append(parameters[6])
      guard numbers().contains(parameters[6]) else { return [ScriptedRadio.status(opcode)] }
      attempts.handle += 1
      return [ScriptedRadio.status(opcode), radio.connected(attempts.handle, to: parameters)]
    }
    return (central, radio, attempts)
  }

  final class Attempts {
    var numbers: [UInt8] = []
    var handle: UInt16 = 0x0070
  }

  @Test("continues without limit, and has no deadline meanwhile")
  func patient() {
    let (central, radio, attempts) = central()
    _ = central.connect(to: .numbered(2))
    radio.run()
    expect(radio.deadline, is: nil)
    radio.pass(3_600_000)
    expect(attempts.numbers, is: [2])
    expect(radio.takeEvents(), is: [])
  }

  @Test("an attempt beside an open link does not give way")
  func besideLink() {
    let (central, radio, attempts) = central { [2] }
    _ = central.connect(to: .numbered(2))
    radio.run()
    _ = central.connect(to: .numbered(3))
    radio.run()
    expect(central.deadline, is: nil)
    radio.pass(60_000)
    expect(attempts.numbers, is: [2, 3])
  }

  @Test("is cancelled on request")
  func cancelled() {
    let (central, radio, _) = central()
    let link = central.connect(to: .numbered(2))
    let read = central.perform(.read(handle(3)), on: link)
    radio.run()
    central.disconnect(link)
    radio.run()
    expect(radio.commands.last, is: .leCreateConnectionCancel)
    expect(
      radio.takeEvents(),
      is: [.completed(read, link, .failure(.disconnected)), .connectionFailed(link, nil)])
    expect(radio.deadline, is: nil)
  }

  @Test("several take turns, so a present peer is reached past absent ones")
  func turns() {
    var reachable: [UInt8] = []
    let (central, radio, attempts) = central { reachable }
    let links = (2...4).map { central.connect(to: .numbered($0)) }
    radio.run()
    radio.pass(1_999)
    expect(attempts.numbers, is: [2])
    radio.pass(1)
    expect(attempts.numbers, is: [2, 3])
    radio.pass(4_000)
    expect(attempts.numbers, is: [2, 3, 4, 2])
    expect(radio.takeEvents(), is: [])
    reachable = [4]
    radio.pass(4_000)
    expect(radio.takeEvents(), is: [.connected(links[2], peer: .numbered(4))])
    expect(central.links.count, is: 3)
  }

  @Test("a scan and attempts take turns, and no attempt has two before the scan has one")
  func scan() {
    let (central, radio, attempts) = central()
    _ = central.connect(to: .numbered(2))
    _ = central.connect(to: .numbered(3))
    central.scan()
    radio.run()
    expect(radio.scan, is: nil)
    radio.pass(2_000)
    expect(radio.scan, is: ScanParameters())
    radio.pass(1_999)
    expect(attempts.numbers, is: [2])
    radio.pass(1)
    expect(attempts.numbers, is: [2, 3])
    expect(radio.scan, is: nil)
    radio.pass(2_000)
    expect(radio.scan, is: ScanParameters())
    radio.pass(2_000)
    expect(attempts.numbers, is: [2, 3, 2])
  }

  @Test("a later scan has its turn at once, if the attempt has had its turn")
  func laterScan() {
    let (central, radio, _) = central()
    _ = central.connect(to: .numbered(2))
    radio.run()
    radio.pass(60_000)
    central.scan()
    radio.pass(0)
    expect(radio.scan, is: ScanParameters())
    central.stopScan()
    radio.run()
    expect(radio.scan, is: nil)
    radio.pass(2_000)
    expect(radio.commands.last, is: .leCreateConnection)
  }

  @Test("a link that is made at the end of its turn is kept")
  func lateLink() {
    let (central, radio, _) = central()
    radio.answer(.leCreateConnectionCancel) { opcode, _ in
      [ScriptedRadio.complete(opcode, [0x0C]), ScriptedRadio.connected(0x0041, to: .numbered(2))]
    }
    let link = central.connect(to: .numbered(2))
    _ = central.connect(to: .numbered(3))
    radio.run()
    radio.pass(2_000)
    expect(radio.takeEvents(), is: [.connected(link, peer: .numbered(2))])
  }

  @Test("can be cancelled while it gives way, and while it waits")
  func cancelledOnTheWay() {
    let (central, radio, _) = central()
    let first = central.connect(to: .numbered(2))
    let second = central.connect(to: .numbered(3))
    radio.run()
    central.disconnect(second)
    expect(radio.runEvents(), is: [.connectionFailed(second, nil)])
    let third = central.connect(to: .numbered(4))
    radio.answer(.leCreateConnectionCancel) { opcode, _ in [ScriptedRadio.complete(opcode, [0])] }
    radio.pass(2_000)
    central.disconnect(first)
    radio.run()
    radio.give(ScriptedRadio.connectionFailed(0x02))
    expect(radio.runEvents(), is: [.connectionFailed(first, nil)])
    expect(central.links, is: [third])
  }

  @Test("a controller that never reports the end of an attempt blocks nothing")
  func cancelIgnored() {
    let (central, radio, attempts) = central()
    radio.answer(.leCreateConnectionCancel) { opcode, _ in [ScriptedRadio.complete(opcode, [0])] }
    _ = central.connect(to: .numbered(2))
    _ = central.connect(to: .numbered(3))
    radio.run()
    radio.pass(4_000)
    expect(attempts.numbers, is: [2, 3])
  }
}
