import BluetoothHost
import Expectations

@testable import VirtualRadio

@Suite("A model of the link layer")
struct LinkLayerModelTests {
  /// Whether a host has data, at each of these times in ms.
  private func arrivals(_ host: TestHost, _ air: VirtualAir, at times: [UInt64]) -> [Bool] {
    times.map { time in
      air.advance(to: milliseconds(time))
      return host.receive().contains { $0[0] == 0x02 }
    }
  }

  @Test("Data waits for a connection event, and for a peripheral that skips events")
  func latency() {
    let air = VirtualAir()
    air.linkLayer = LinkLayerModel()
    let (central, peripheral) = (TestHost(on: air), TestHost(on: air))
    peripheral.advertise()
    // 80 × 1.25 ms = 100 ms; the peripheral listens to each fifth event.
    central.send(
      LECreateConnection(
        scanInterval: 0x10, scanWindow: 0x10, filterPolicy: 0, peer: peripheral.controller.address,
        ownAddressType: 0,
        parameters: ConnectionParameters(
          minimumInterval: 80, maximumInterval: 80, latency: 4, supervisionTimeout: 300)))
    central.send([1, 2, 3], on: central.handle)
    expect(arrivals(peripheral, air, at: [0, 499, 500]), is: [false, false, true])
    // A peripheral with data uses the next event, in which it receives too.
    central.send([1, 2, 3], on: central.handle)
    peripheral.send([1, 2, 3], on: peripheral.handle)
    expect(arrivals(central, air, at: [599, 600]), is: [false, true])
    expect(peripheral.receive().contains { $0[0] == 0x02 })
  }

  @Test("The data of a side that disconnects arrives first")
  func disconnecting() {
    let air = VirtualAir()
    air.linkLayer = LinkLayerModel()
    let (central, peripheral) = (TestHost(on: air), TestHost(on: air))
    peripheral.advertise()
    central.connect(to: peripheral.controller.address)
    _ = peripheral.receive()
    central.send([1, 2, 3], on: central.handle)
    central.send(Disconnect(handle: central.handle, reason: .remoteUserTerminatedConnection))
    expect(peripheral.receive().map { $0[0] }, is: [0x02, 0x04])
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
