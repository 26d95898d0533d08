import BluetoothHost
import Linux

/// A queue of whole packets: at most `capacity` bytes, with two bytes of length for each packet.
package struct InlinePacketQueue<let capacity: Int>: ~Copyable {
  private var buffer = ByteBuffer<capacity>()
  /// Where the first packet begins.
  private var start = 0

  /// An empty queue.
  package init() {}

  /// Whether there is no packet.
  package var isEmpty: Bool { start == buffer.count }

  /// The longest packet that still fits, in bytes; negative if not even a length fits.
  package var room: Int { capacity &- (buffer.count &- start) &- 2 }

  /// Removes all packets.
  package mutating func removeAll() {
    buffer.removeAll()
    start = 0
  }

  /// Appends the packet that `body` writes; nothing, and false, if it does not fit.
  package mutating func append(_ body: (inout ByteWriter) -> Void) -> Bool {
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    let end = buffer.count
    var writer = buffer.makeAppendingWriter()
    writer.write(UInt16(0))
    body(&writer)
    let length = writer.count &- 2
    guard !writer.hasOverflowed, length > 0, length <= 0xFFFF else { return false }
    writer.patch(UInt16(truncatingIfNeeded: length), at: 0)
    buffer.keepWritten(end &+ writer.count)
    return true
  }

  /// Moves the first packet to the front of `space`, and returns its length; 0 if there is none. Drops the bytes
  /// that `space` has no room for.
  package mutating func take(into space: inout MutableSpan<UInt8>) -> Int {
    let (count, length) = copy(into: &space)
    start &+= length
    if isEmpty { removeAll() }
    return count
  }

  /// Copies the first packet, and returns how many bytes of it fit, and its length in the queue.
  private func copy(into space: inout MutableSpan<UInt8>) -> (count: Int, length: Int) {
    var reader = ByteReader(buffer.span.extracting(start..<buffer.count))
    guard let length = reader.readUInt16(), let packet = reader.readBytes(Int(length)) else {
      return (0, 0)
    }
    let count = min(packet.count, space.count)
    for index in 0..<count { space[index] = packet[index] }
    return (count, 2 &+ packet.count)
  }
}
