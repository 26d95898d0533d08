import BluetoothHost

/// The frames that one link has yet to send, cut into fragments as the controller takes them.
///
/// Core Specification, Vol 3, Part A, 7.2.1.
struct Outbox {
  /// A well-behaved peer asks one thing of each protocol at a time; beyond this many answers it
  /// is flooding, and gets no more.
  private static let answerLimit = 16

  private var frames: [[UInt8]] = []
  /// How much of the first frame has been sent.
  private var sent = 0

  /// How many frames wait, the one under way included.
  var count: Int { frames.count }

  var isEmpty: Bool { frames.isEmpty }

  /// Adds an answer to a frame of the peer's, unless too many wait already.
  mutating func answer(_ payload: [UInt8], on channel: L2CAPChannel) {
    if frames.count < Self.answerLimit { append(payload, on: channel) }
  }

  /// Adds a frame of this side's own, which waits until what is before it has been sent.
  mutating func append(_ payload: [UInt8], on channel: L2CAPChannel) {
    // 4: two bytes of length, two of channel.
    frames.append(
      [UInt8].written(upTo: 4 + payload.count) {
        $0.write(UInt16(truncatingIfNeeded: payload.count))
        $0.write(channel.rawValue)
        $0.write(payload.span)
      })
  }

  /// Writes the next ACL packet, with at most `length` bytes of data; `false` if there is none.
  mutating func writePacket(
    on handle: ConnectionHandle, length: Int, to writer: inout ByteWriter
  ) -> Bool {
    let length = min(length, writer.freeCapacity - ACLHeader.packetHeaderLength)
    guard let frame = frames.first, length > 0 else { return false }
    let end = min(frame.count, sent + length)
    let header = ACLHeader(handle: handle, boundary: sent == 0 ? .firstNonFlushable : .continuing)
    header.writePacket(frame.span.extracting(sent..<end), to: &writer)
    sent = end
    if sent == frame.count {
      frames.removeFirst()
      sent = 0
    }
    return true
  }
}
