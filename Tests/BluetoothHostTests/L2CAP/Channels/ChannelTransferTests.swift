import BallTestSupport
import Expectations

@testable import BluetoothHost

/// The number of channels, the bytes each way on each, the MTU, the MPS, and the number of K-frames
/// that a receiver can hold.
private typealias Transfer = (channels: Int, total: Int, mtu: Int, mps: UInt16, credits: Int)

private let transfers: [Row<Transfer>] = [
  Row("10 MB, MPS 23, 5 credits", (1, 10_000_000, 600, 23, 5)),
  Row("10 MB, MPS 2,048, 3 credits", (1, 10_000_000, 65_535, 2048, 3)),
  Row("100 kB on each of 7 channels, MPS 64, 1 credit", (7, 100_000, 200, 64, 1)),
  Row("100 kB on each of 4 channels, MPS 498, 100 credits", (4, 100_000, 1500, 498, 100)),
]

@Suite("Channels: transfers")
struct ChannelTransferTests {
  @Test("Every byte arrives once and in order, within the buffers", arguments: transfers)
  fileprivate func transfer(row: Row<Transfer>) throws {
    let transfer = row.value
    func device(seed: UInt64) throws -> ChannelDevice<StreamOwner> {
      try ChannelDevice(
        StreamOwner(
          mtu: transfer.mtu, total: transfer.total,
          capacity: Int(transfer.mps) * transfer.credits, seed: seed), mps: transfer.mps)
    }
    let pair = ChannelPair(try device(seed: 1), try device(seed: 2), seed: 3)
    let mtu = try #require(ChannelMTU(UInt16(transfer.mtu)))
    // Each side opens some. A peer gets all channels but one.
    for number in 0..<transfer.channels {
      let opener = number & 1 == 0 ? pair.left : pair.right
      expect(opener.role.open(.firstDynamic, mtu: mtu, at: 0) != nil)
      pair.carry(4)
    }
    var rounds = 0
    while !pair.left.role.application.isDone || !pair.right.role.application.isDone {
      let carried = pair.carry(200)
      let hasDrained = drain(pair.left, &pair.random) || drain(pair.right, &pair.random)
      rounds += 1
      guard carried > 0 || hasDrained || rounds < 10 else { break }
    }
    for device in [pair.left, pair.right] {
      let owner = device.role.application
      expect(owner.faults, is: [])
      expect(owner.ends, is: [:])
      expect(owner.incoming.count, is: transfer.channels)
      expect(owner.incoming.values.allSatisfy { $0.position == transfer.total })
    }
    for channel in 0..<transfer.channels { pair.left.role.disconnect(channel) }
    pair.carry()
    expect(pair.left.role.application.ends.values.allSatisfy { $0 == .closed })
    expect(pair.right.role.application.ends.values.allSatisfy { $0 == .closedByPeer })
    expect(pair.left.role.count == 0 && pair.right.role.count == 0)
  }

  /// The owner drains some channels. Returns whether any had data.
  private func drain(_ device: ChannelDevice<StreamOwner>, _ random: inout FixedRandom) -> Bool {
    var hasDrained = false
    for channel in 0..<8 where (device.role.application.buffered[channel] ?? 0) > 0 {
      hasDrained = true
      guard random.next() % 4 != 0 else { continue }
      device.role.application.buffered[channel] = 0
      device.role.resume(channel)
    }
    return hasDrained
  }
}
