import BallTestSupport
import Expectations

@testable import BluetoothHost

/// The repeated bytes 0 to 250 of every stream, long enough for a part of an SDU from any of the
/// first 251 offsets.
private let pattern = [UInt8](counting: 251 + 2100)

/// An owner that sends a stream of bytes on each channel, in SDUs of random lengths, and checks the
/// stream that it receives. Received bytes stay in a buffer of a fixed size until a test drains it.
struct StreamOwner: ChannelApplication {
  /// One direction of a channel.
  struct Stream {
    /// The number of bytes sent or received.
    var position = 0
    /// The length of the outgoing SDU, and how much of it has been written.
    var sduLength: Int?
    var written = 0
  }

  let mtu: Int
  /// The number of bytes to send on each channel.
  let total: Int
  /// The size of each channel's buffer in bytes.
  let capacity: Int
  var outgoing: [Int: Stream] = [:]
  var incoming: [Int: Stream] = [:]
  var buffered: [Int: Int] = [:]
  var ends: [Int: ChannelEnd] = [:]
  /// The errors that it has found.
  var faults: [String] = []
  private var random: FixedRandom

  init(mtu: Int, total: Int, capacity: Int, seed: UInt64) {
    self.mtu = mtu
    self.total = total
    self.capacity = capacity
    random = FixedRandom(seed: seed)
  }

  var isDone: Bool {
    !outgoing.isEmpty && incoming.values.allSatisfy { $0.position == total }
      && outgoing.values.allSatisfy { $0.position == total }
  }

  func listener(on spsm: SPSM, at link: Int) -> ChannelListener? {
    ChannelMTU(UInt16(mtu)).map { ChannelListener(mtu: $0) }
  }

  mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {
    outgoing[channel] = Stream()
    incoming[channel] = Stream()
    buffered[channel] = 0
    plan(channel, peerMTU)
  }

  mutating func closed(_ channel: Int, with end: ChannelEnd) { ends[channel] = end }

  func room(of channel: Int) -> Int { capacity - (buffered[channel] ?? 0) }

  mutating func received(_ segment: SDUSegment, on channel: Int) {
    let start = (incoming[channel]?.position ?? 0) % 251
    let count = segment.bytes.count
    if !segment.bytes.hasSameBytes(as: pattern.span.extracting(start..<start + count)) {
      faults.append("other bytes at \(incoming[channel]?.position ?? 0) of \(channel)")
    }
    if segment.offset + count > segment.sduLength { faults.append("too long on \(channel)") }
    incoming[channel]?.position += count
    buffered[channel, default: 0] += count
    if room(of: channel) < 0 { faults.append("no room on \(channel)") }
  }

  func nextSDULength(on channel: Int) -> Int? { outgoing[channel]?.sduLength }

  mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter) {
    guard let stream = outgoing[channel], stream.written == offset else {
      faults.append("\(offset) is not where \(channel) is")
      return
    }
    let start = (stream.position + offset) % 251
    let count = writer.freeCapacity
    writer.write(pattern.span.extracting(start..<start + count))
    outgoing[channel]?.written += count
  }

  mutating func sent(on channel: Int) {
    let length = outgoing[channel]?.sduLength ?? 0
    if outgoing[channel]?.written != length { faults.append("sent too early on \(channel)") }
    outgoing[channel]?.position += length
    outgoing[channel]?.written = 0
    plan(channel, mtu)
  }

  private mutating func plan(_ channel: Int, _ limit: Int) {
    let left = total - (outgoing[channel]?.position ?? 0)
    outgoing[channel]?.sduLength =
      left > 0 ? min(left, Int.random(in: 0...limit, using: &random)) : nil
  }
}
