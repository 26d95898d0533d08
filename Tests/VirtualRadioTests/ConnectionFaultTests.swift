import BluetoothHost
import Expectations

@testable import VirtualRadio

@Suite("The faults of an air's connections")
struct ConnectionFaultTests {
  private func fates(_ faults: ConnectionFaults, seed: UInt64, count: Int)
    -> [ConnectionFaults.Fate]
  {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in faults.fate(&random) }
  }

  @Test("The given percentages end and vanish, within the first 20 packets")
  func shares() {
    var dropped = 0
    var vanished = 0
    for fate in fates(ConnectionFaults(drops: 20, vanishings: 10), seed: 8, count: 10_000) {
      switch fate {
      case .lasts: break
      case .drops(let packets):
        dropped += 1
        expect((1...20).contains(packets))
      case .vanishes(let packets, let milliseconds):
        vanished += 1
        expect((1...20).contains(packets) && (1_000...5_000).contains(milliseconds))
      }
    }
    // 2,000 and 1,000 expected; the standard deviations are 40 and 30, and 5 of them are allowed.
    expect((1_800...2_200).contains(dropped) && (850...1_150).contains(vanished))
  }

  @Test("Without faults every connection lasts, with 100 percent none does")
  func none() {
    let none = fates(ConnectionFaults(), seed: 8, count: 500)
    expect(none.allSatisfy { $0 == .lasts })
    let all = fates(ConnectionFaults(drops: 60, vanishings: 40), seed: 8, count: 500)
    expect(!all.contains(.lasts))
  }

  /// Connects on an air with these faults, and sends 30 packets or until the link ends. Returns how many
  /// reached the peripheral, and the last packets of both hosts.
  private func visit(
    _ air: VirtualAir, _ central: TestHost, _ peripheral: TestHost
  ) -> (packets: Int, central: [UInt8]?, peripheral: [UInt8]?) {
    central.connect(to: peripheral.controller.address)
    var last = central.receive().last
    var heard = peripheral.receive()
    for _ in 0..<30 where !central.controller.connectionHandles.isEmpty {
      central.send([1, 2, 3], on: central.handle)
      heard += peripheral.receive()
      last = central.receive().last
    }
    return (heard.count { $0[0] == 0x02 }, last, heard.last)
  }

  @Test("A connection that drops ends for both hosts, with the same packet for the same seed")
  func drops() {
    func packets(seed: UInt64) -> [Int] {
      let air = VirtualAir(seed: seed)
      air.connectionFaults = ConnectionFaults(drops: 100)
      let (central, peripheral) = twoHosts(on: air)
      return (0..<10).map { _ in
        peripheral.advertise()
        let handles = (central.controller.nextHandle, peripheral.controller.nextHandle)
        let result = visit(air, central, peripheral)
        let reason = HCIErrorCode.remoteUserTerminatedConnection
        expect(result.central, is: ended(ConnectionHandle(rawValue: handles.0 + 1), reason))
        expect(result.peripheral, is: ended(ConnectionHandle(rawValue: handles.1 + 1), reason))
        expect((1...20).contains(result.packets))
        return result.packets
      }
    }
    expect(packets(seed: 8), is: packets(seed: 8))
    expect(packets(seed: 8) != packets(seed: 9))
  }

  @Test("A peripheral that vanishes loses its link, is not found for a while, and comes back")
  func vanishes() {
    let air = VirtualAir(seed: 8)
    air.connectionFaults = ConnectionFaults(vanishings: 100)
    let (central, peripheral) = twoHosts(on: air)
    peripheral.advertise()
    let handles = (central.controller.nextHandle + 1, peripheral.controller.nextHandle + 1)
    let packets = visit(air, central, peripheral).packets
    expect((1...20).contains(packets))
    // 72 × 10 ms.
    air.advance(to: milliseconds(719))
    expect(central.receive() == [] && peripheral.receive() == [])
    air.advance(to: milliseconds(720))
    expect(
      central.receive().last, is: ended(ConnectionHandle(rawValue: handles.0), .connectionTimeout))
    expect(
      peripheral.receive().last,
      is: ended(ConnectionHandle(rawValue: handles.1), .connectionTimeout))
    peripheral.advertise()
    central.scan()
    air.advance(to: milliseconds(999))
    expect(central.reports(), is: [])
    air.advance(to: milliseconds(5_200))
    expect(central.reports() != [])
  }

  @Test("What was planned for a connection that ended earlier does not affect the next")
  func planned() {
    let air = VirtualAir(seed: 8)
    let (central, peripheral) = twoHosts(on: air)
    air.connectionFaults = ConnectionFaults(drops: 100)
    peripheral.advertise()
    central.connect(to: peripheral.controller.address)
    central.send(Disconnect(handle: central.handle, reason: .remoteUserTerminatedConnection))
    air.connectionFaults = ConnectionFaults(drops: 0, vanishings: 1)
    peripheral.advertise()
    expect(visit(air, central, peripheral).packets, is: 30)
  }
}
