/// Puts the L2CAP frames of one link together from the fragments that ACL packets carry.
///
/// Core Specification, Vol 3, Part A, 3.1 and 7.2. `capacity` is the longest frame kept, with its
/// four bytes of header; a longer one is skipped whole. A continuation without a start is
/// dropped, and a new start discards a frame that was not finished.
public struct L2CAPReassembler<let capacity: Int>: ~Copyable {
  private var buffer = ByteBuffer<capacity>()
  /// How many bytes the frame in `buffer` lacks; 0 when none is being put together.
  private var missing = 0

  /// A reassembler that waits for a start.
  public init() {}

  /// Forgets a frame that was not finished.
  public mutating func reset() {
    buffer.removeAll()
    missing = 0
  }

  /// Keeps a whole ACL packet of a link that is still unknown. What does not fit is lost.
  mutating func keep(_ header: ACLHeader, _ data: Span<UInt8>) {
    guard ACLHeader.packetHeaderLength + data.count <= buffer.freeCapacity else { return }
    var start = ByteBuffer<5>()
    start.write { header.write(dataLength: data.count, to: &$0) }
    _ = buffer.append(start.span)
    _ = buffer.append(data)
  }

  /// Copies the packets that were kept.
  func copyKept(to copy: inout ByteBuffer<capacity>) {
    _ = copy.assign(buffer.span)
  }

  /// Takes one fragment, and gives `body` the frame that it completes.
  ///
  /// A frame that came in one fragment is given in place, without being copied.
  @inline(__always)
  mutating func receive(
    _ fragment: Span<UInt8>, startsFrame: Bool, _ body: (borrowing L2CAPFrame) -> Void
  ) {
    if startsFrame, fragment.count <= capacity, let frame = L2CAPFrame(fragment), frame.isComplete {
      missing = 0
      body(frame)
    } else if append(fragment, startsFrame: startsFrame), let frame = L2CAPFrame(buffer.span) {
      body(frame)
    }
  }

  /// Adds a fragment; true if it completes a frame.
  @inline(never)
  private mutating func append(_ fragment: Span<UInt8>, startsFrame: Bool) -> Bool {
    if startsFrame {
      buffer.removeAll()
    } else if missing == 0 {
      return false
    }
    guard buffer.append(fragment), let missing = measure() else {
      // More than its header says, or more than is kept: the rest is skipped to the next start.
      missing = 0
      return false
    }
    self.missing = missing
    return missing == 0
  }

  /// The channel of a frame that is longer than `capacity`, once; `nil` if there is none. `fragment` is the
  /// one that `receive` has just taken.
  mutating func takeOverlong(_ fragment: Span<UInt8>, startsFrame: Bool) -> L2CAPChannel? {
    guard missing == 0 else { return nil }
    // A fragment that alone is too long is not in the buffer.
    let isAlone = startsFrame && fragment.count > capacity
    guard let channel = isAlone ? overlongChannel(of: fragment) : overlongChannel(of: buffer.span)
    else { return nil }
    buffer.removeAll()
    return channel
  }

  private func overlongChannel(of start: Span<UInt8>) -> L2CAPChannel? {
    var reader = ByteReader(start)
    guard let length = reader.readUInt16(), let channel = reader.readUInt16(),
      L2CAPFrame.headerLength + Int(length) > capacity
    else { return nil }
    return L2CAPChannel(rawValue: channel)
  }

  /// How many bytes the frame still lacks; at least 1 while its header is not whole; `nil` for a
  /// frame that is of no use.
  private func measure() -> Int? {
    var reader = ByteReader(buffer.span)
    guard buffer.count >= L2CAPFrame.headerLength, let length = reader.readUInt16() else {
      return 1
    }
    let total = L2CAPFrame.headerLength + Int(length)
    return total <= capacity && buffer.count <= total ? total - buffer.count : nil
  }
}

/// One frame, or the start of one, read in place.
///
/// Core Specification, Vol 3, Part A, 3.1.
struct L2CAPFrame: ~Escapable {
  /// The length of a frame's header in bytes: two of length, two of channel.
  static var headerLength: Int { 4 }

  /// How many bytes are before the payload of an ACL packet's first frame: H4's type byte, the ACL
  /// header and the frame's own.
  static var packetHeaderLength: Int { 9 }

  /// Writes the start of an ACL packet, and `first`, which are the first bytes of a frame's payload.
  @inline(__always)
  static func writeStart(
    on handle: ConnectionHandle, _ channel: L2CAPChannel, payloadLength: Int,
    _ first: Span<UInt8>, to writer: inout ByteWriter
  ) {
    writer.write(
      HCIPacketType.acl.rawValue,
      header(on: handle, channel, payloadLength: payloadLength, size: first.count), first)
  }

  /// Writes the start of an ACL packet before a whole payload of `length` bytes, which stands there
  /// already.
  @inline(__always)
  static func writeStart(
    on handle: ConnectionHandle, _ channel: L2CAPChannel, before length: Int,
    to writer: inout ByteWriter
  ) {
    writer.write(
      HCIPacketType.acl.rawValue,
      header(on: handle, channel, payloadLength: length, size: length), before: length)
  }

  /// The ACL header and the frame's own, as they are sent.
  @inline(__always)
  private static func header(
    on handle: ConnectionHandle, _ channel: L2CAPChannel, payloadLength: Int, size: Int
  ) -> UInt64 {
    let acl = ACLHeader(handle: handle, boundary: .firstNonFlushable)
      .word(dataLength: headerLength &+ size)
    // The payload's length, then the channel, two bytes each.
    let frame = UInt32(truncatingIfNeeded: payloadLength) | UInt32(channel.rawValue) << 16
    return UInt64(widening: acl) | UInt64(widening: frame) &<< 32
  }

  let channel: L2CAPChannel
  /// What there is of the payload.
  let payload: Span<UInt8>
  /// Whether the payload is just as long as the header tells.
  let isComplete: Bool

  @inline(__always)
  @_lifetime(copy bytes)
  init?(_ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    guard let length = reader.readUInt16(), let channel = reader.readUInt16() else { return nil }
    self.channel = L2CAPChannel(rawValue: channel)
    isComplete = reader.count == Int(length)
    payload = reader.readRemaining()
  }
}
