import BluetoothHost
import Expectations

@testable import VirtualRadio

@Suite("A model of the link layer")
struct LinkLayerModelTests {
  @Test("Data waits for a connection event, and for a peripheral that skips events")
  func latency() {
    let air = VirtualAir()
    let (central, peripheral) = twoHosts(on: air)
    air.linkLayer = LinkLayerModel()
    peripheral.advertise()
    // 80 × 1.25 ms = 100 ms; the peripheral listens to each fifth event.
    central.send(
      LECreateConnection(
        scanInterval: 0x10, scanWindow: 0x10, filterPolicy: 0, peer: peripheral.controller.address,
        ownAddressType: 0,
        parameters: ConnectionParameters(
          minimumInterval: 80, maximumInterval: 80, latency: 4, supervisionTimeout: 300)))
    central.send([1, 2, 3], on: central.handle)
    expect(peripheral.hasData(at: [0, 499, 500]), is: [false, false, true])
    // A peripheral with data uses the next event, in which it receives too.
    central.send([1, 2, 3], on: central.handle)
    peripheral.send([1, 2, 3], on: peripheral.handle)
    expect(central.hasData(at: [599, 600]), is: [false, true])
    expect(peripheral.receive().contains { $0[0] == 0x02 })
  }

  @Test("The data of a side that disconnects arrives first")
  func disconnecting() {
    let air = VirtualAir()
    let (central, peripheral) = twoHosts(on: air)
    air.linkLayer = LinkLayerModel()
    peripheral.advertise()
    central.connect(to: peripheral.controller.address)
    _ = peripheral.receive()
    central.send([1, 2, 3], on: central.handle)
    central.send(Disconnect(handle: central.handle, reason: .remoteUserTerminatedConnection))
    expect(peripheral.receive().map { $0[0] }, is: [0x02, 0x04])
  }

  /// The part of the advertisements that a scanner hears in 10 s, of `count` advertisers in range.
  private func heard(_ count: Int, seed: UInt64) -> Double {
    let air = VirtualAir(seed: seed)
    air.linkLayer = LinkLayerModel(hasCollisions: true)
    let advertisers = (0..<count).map { _ in TestHost(on: air) }
    // 32 × 0.625 ms = 20 ms.
    for advertiser in advertisers { advertiser.advertise(.zeros(31), interval: 32) }
    let scanner = TestHost(on: air)
    scanner.scan()
    var reports = 0
    for time in 0..<10_000 {
      air.advance(to: milliseconds(UInt64(time)))
      reports += scanner.reports().count
    }
    // 20 ms, and a delay of up to 10 ms.
    return Double(reports) * 25 / 10_000 / Double(count)
  }

  @Test("Advertisements that overlap are lost: unslotted ALOHA", arguments: [8, 9] as [UInt64])
  func collisions(seed: UInt64) {
    // 8 µs × (1 preamble + 4 access address + 2 header + 6 address + 31 data + 3 CRC) = 376 µs.
    let duration = 0.376
    for count in [1, 10, 50] {
      // (1 − 2d/T)^(N−1)
      var theory = 1.0
      for _ in 1..<count { theory *= 1 - 2 * duration / 25 }
      let difference = heard(count, seed: seed) - theory
      expect(abs(difference) < 0.02, "\(count) advertisers: \(difference)")
    }
    expect(heard(10, seed: seed), is: heard(10, seed: seed))
  }

  @Test("Advertisers out of a scanner's range do not disturb it")
  func collisionsInRange() {
    func reports(seesRivals: Bool) -> Int {
      let air = VirtualAir(seed: 8)
      air.linkLayer = LinkLayerModel(hasCollisions: true)
      let scanner = TestHost(on: air)
      let advertisers = (0..<50).map { _ in TestHost(on: air) }
      for advertiser in advertisers { advertiser.advertise(.zeros(31), interval: 32) }
      for advertiser in advertisers.dropFirst() where !seesRivals {
        air.setSignalStrength(nil, from: advertiser.controller, to: scanner.controller)
      }
      scanner.scan()
      return (0..<5_000 as Range<UInt64>).reduce(0) { count, time in
        air.advance(to: milliseconds(time))
        let own = advertisers[0].controller.address
        return count + scanner.reports().count { $0 == report(.connectable, own, .zeros(31)) }
      }
    }
    // 5 s / 25 ms = 200. (1 − 2 · 0.376 / 25)^49 = 22 % of them are heard among 49 others.
    expect((190...210).contains(reports(seesRivals: false)))
    expect((20...70).contains(reports(seesRivals: true)))
  }

  @Test("An initiator connects between collisions")
  func connectingAmongCollisions() {
    let air = VirtualAir(seed: 8)
    air.linkLayer = LinkLayerModel(hasCollisions: true)
    let hosts = (0..<50).map { _ in TestHost(on: air) }
    for host in hosts { host.advertise(.zeros(31), interval: 32) }
    let central = TestHost(on: air)
    central.connect(to: hosts[7].controller.address)
    expect(central.controller.connectionHandles, is: [])
    air.advance(to: milliseconds(1_000))
    expect(central.controller.connectionHandles.count, is: 1)
  }

  @Test("Distance weakens signals, the same for the same seed, until they are not heard")
  func distance() {
    func strengths(_ area: Double) -> [Int8?] {
      let air = VirtualAir(seed: 8)
      air.linkLayer = LinkLayerModel(area: area)
      let all = (0..<20).map { _ in air.addController() }
      for one in all {
        for other in all where one !== other {
          expect(
            air.signalStrength(from: one, to: other), is: air.signalStrength(from: other, to: one))
        }
      }
      return all.dropFirst().map { air.signalStrength(from: all[0], to: $0) }
    }
    expect(strengths(10), is: strengths(10))
    // 10 · √2 m at most: 20 · log10(14.1) = 23.
    expect(strengths(10).allSatisfy { $0.map { (-73 ... -50).contains($0) } ?? false })
    // -95 dBm is 45 dB below that at 1 m: 178 m.
    expect(strengths(1_000).contains(nil) && strengths(1_000).contains { $0 != nil })
  }
}
