import BallTestSupport
import BluetoothHost
import EightBall
import Expectations
import VirtualRadio

/// Two hosts with channels, each on a controller of the virtual air.
@Suite("Channels over the air")
struct ChannelTests {
  private func makePair(
    _ configuration: ControllerConfiguration = ControllerConfiguration()
  ) -> SecurePair {
    let pair = SecurePair(configuration: configuration)
    pair.connect()
    return pair
  }

  /// The bytes of a stream, different for each seed.
  private func bytes(_ count: Int, seed: UInt8) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) &+ seed }
  }

  @Test(
    "Both sides open several channels on one link, and each carries bytes in both directions",
    arguments: [27, 251, 1_021])
  func bothWays(packetLength: UInt16) {
    let pair = makePair(ControllerConfiguration(aclDataLength: packetLength))
    pair.central.owner.listen(on: 0x0080)
    pair.peripheral.owner.listen(on: 0x0080)
    pair.peripheral.owner.listen(on: 0x00FF)
    expect(pair.central.open(0x0080), is: 0)
    expect(pair.central.open(0x00FF), is: 1)
    pair.run(for: 500)
    expect(pair.peripheral.open(0x0080), is: 2)
    pair.run(for: 500)
    for device in pair.devices {
      expect(device.owner.streams.mapValues(\.spsm), is: [0: 0x0080, 1: 0x00FF, 2: 0x0080])
    }
    var sent: [[UInt8]] = []
    for channel in 0..<3 {
      let seed = UInt8(channel)
      sent += [bytes(20_000, seed: seed), bytes(20_000, seed: 100 + seed)]
      pair.central.send(sent[2 * channel], on: channel)
      pair.peripheral.send(sent[2 * channel + 1], on: channel)
    }
    var received = [[UInt8]](repeating: [], count: 6)
    for _ in 0..<300 {
      pair.run(for: 20)
      for channel in 0..<3 {
        received[2 * channel] += pair.peripheral.take(from: channel)
        received[2 * channel + 1] += pair.central.take(from: channel)
      }
      if received.allSatisfy({ $0.count == 20_000 }) { break }
    }
    expect(received, is: sent)
    expect(pair.central.owner.ends.isEmpty)
  }

  @Test("A reader that stops reading stops its sender, but no other channel and no attribute")
  func backPressure() {
    let pair = makePair()
    pair.peripheral.owner.listen(on: 0x0080)
    pair.central.open(0x0080)
    pair.central.open(0x0080)
    pair.run(for: 500)
    let sent = bytes(10_000, seed: 1)
    pair.central.send(sent, on: 0)
    expect(pair.central.host.mtu(at: 0), is: .minimum)
    expect(pair.central.perform(.exchangeMTU))
    pair.run(for: 5_000)
    let waiting = pair.peripheral.owner.streams[0]?.incoming.count ?? 0
    // Four credits of 498 bytes, minus two bytes for the length of each SDU of 600 bytes.
    expect(waiting > 1_400 && waiting <= ByteStreams.capacity)
    expect(pair.central.host.mtu(at: 0), is: .maximum)
    pair.central.send([1, 2, 3], on: 1)
    pair.run(for: 500)
    expect(pair.peripheral.take(from: 1), is: [1, 2, 3])
    expect(pair.peripheral.owner.streams[0]?.incoming.count, is: waiting)

    var received: [UInt8] = []
    for _ in 0..<100 {
      received += pair.peripheral.take(from: 0)
      pair.run(for: 50)
    }
    expect(received, is: sent)
  }
}
