import BallTestSupport
import BluetoothHost
import Expectations
import VirtualRadio

/// A channel between two hosts, on an air whose packets take time and get lost.
@Suite("A channel on a link layer that behaves")
struct LinkLayerTests {
  /// A pair with a channel at an interval of 7.5 ms, whose central sends.
  private func makePair(_ model: LinkLayerModel, has2M: Bool = true, seed: UInt64 = 8) -> SecurePair
  {
    let pair = SecurePair(
      seed: seed, configuration: ControllerConfiguration(supports2MPHY: has2M))
    pair.bench.air.linkLayer = model
    pair.connect()
    pair.central.host.requestParameters(
      ConnectionParameters(
        minimumInterval: 6, maximumInterval: 6, latency: 0, supervisionTimeout: 200), at: 0)
    pair.peripheral.owner.capacity = 16_000
    // Two frames of two packets of 251 bytes: 2 × 498, less 2 for the length of the SDU.
    pair.peripheral.owner.listen(on: 0x0080, mtu: 994)
    pair.central.open(0x0080)
    pair.run(for: 500)
    return pair
  }

  /// Sends `count` bytes, and returns how long that took, in ms; `nil` if they did not all arrive.
  private func send(_ count: Int, over pair: SecurePair) throws -> UInt64? {
    let sent = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    let start = pair.bench.now.rawValue
    var offset = 0
    var received: [UInt8] = []
    received.reserveCapacity(count)
    _ = try pair.bench.run(for: 120_000) {
      let waiting = pair.central.owner.streams[0]?.outgoing.count ?? 0
      if waiting < 2_000, offset < count {
        let part = sent[offset..<min(offset + 9_940, count)]
        offset += part.count
        pair.central.send(Array(part), on: 0)
      }
      if pair.peripheral.owner.streams[0]?.incoming.isEmpty == false {
        received += pair.peripheral.take(from: 0)
      }
      return received.count == count
    }
    return received == sent ? pair.bench.now.rawValue - start : nil
  }

  /// How long 1,000,000 bytes take. Core Specification, Vol 6, Part B, 2.1 and 4.1.1: a packet of 251
  /// bytes has 1 (preamble, 2 on 2M) + 4 + 2 + 251 + 3 bytes, and its acknowledgement no data:
  ///
  /// 1M: 2,088 + 150 + 80 + 150 = 2,468 µs, which fits 3 times into 7,500 µs
  /// 2M: 1,048 + 150 + 44 + 150 = 1,392 µs, 5 times
  ///
  /// 1,000,000 / 994 = 1,006.04 SDUs of 4 packets are 4,025 packets: 1,342 events on 1M, 805 on 2M.
  @Test(
    "1 MB at 7.5 ms and 251 bytes takes what the specification's times allow, within 10 %",
    arguments: [(has2M: false, theory: 10_065), (has2M: true, theory: 6_038)])
  func throughput(has2M: Bool, theory: UInt64) throws {
    let taken = try #require(try send(1_000_000, over: makePair(LinkLayerModel(), has2M: has2M)))
    expect(taken >= theory, "\(taken) ms")
    expect(taken * 100 <= theory * 110, "\(taken) ms")
  }

  @Test("A lost packet costs time and no data, and the same seed loses the same packets")
  func loss() throws {
    let model = LinkLayerModel(packetLoss: 0.05)
    let whole = try #require(try send(100_000, over: makePair(LinkLayerModel())))
    let taken = try #require(try send(100_000, over: makePair(model)))
    expect(
      taken > whole * 11 / 10 && taken < whole * 2, "\(taken) ms, and \(whole) ms without loss")
    expect(try send(100_000, over: makePair(model)), is: taken)
  }

  @Test("A link whose packets are all lost ends on both sides after its supervision timeout")
  func totalLoss() throws {
    let pair = makePair(LinkLayerModel())
    pair.bench.air.linkLayer?.packetLoss = 1
    pair.run(for: 1_999)
    expect(pair.devices.map { $0.host.connectionCount }, is: [1, 1])
    pair.run(for: 1)
    expect(pair.devices.map { $0.host.connectionCount }, is: [0, 0])
    // The channel has ended with the link, and no central receives from the peripheral.
    expect(pair.central.owner.ends, is: [.linkLost(.connectionTimeout)])
    pair.connect()
    expect(pair.central.host.connectionCount, is: 0)
  }

  @Test("A loss so high that nothing arrives for the supervision timeout ends the link too")
  func nearlyTotalLoss() throws {
    let pair = makePair(LinkLayerModel())
    pair.bench.air.linkLayer?.packetLoss = 0.999
    pair.central.send([1], on: 0)
    pair.run(for: 4_000)
    expect(pair.central.owner.ends, is: [.linkLost(.connectionTimeout)])
  }
}
