/// Puts the L2CAP frames of one link together from the fragments that ACL packets carry.
///
/// Core Specification, Vol 3, Part A, 3.1 and 7.2. `capacity` is the longest frame kept, with its
/// four bytes of header; a longer one is skipped whole. A continuation without a start is
/// dropped, and a new start discards a frame that was not finished.
public struct L2CAPReassembler<let capacity: Int>: ~Copyable {
  /// The length of a frame's header: two bytes of length, two of channel.
  public static var headerLength: Int { 4 }

  private var buffer = ByteBuffer<capacity>()
  /// How many bytes the frame in `buffer` lacks; 0 when none is being put together.
  private var missing = 0

  /// A reassembler that waits for a start.
  public init() {}

  /// Forgets a frame that was not finished.
  public mutating func reset() {
    missing = 0
  }

  /// Takes one fragment, and gives `body` the frame that it completes: its channel, its payload.
  ///
  /// A frame that came in one fragment is given in place, without being copied.
  public mutating func receive(
    _ fragment: Span<UInt8>, startsFrame: Bool, body: (L2CAPChannel, Span<UInt8>) -> Void
  ) {
    if startsFrame {
      missing = 0
      if let frame = L2CAPFrame(fragment), frame.isComplete {
        body(frame.channel, frame.payload)
        return
      }
      buffer.removeAll()
    } else if missing == 0 {
      return
    }
    guard buffer.append(fragment), let missing = measure() else {
      // More than its header told, or more than is kept: the rest is skipped to the next start.
      missing = 0
      return
    }
    self.missing = missing
    if missing == 0, let frame = L2CAPFrame(buffer.span) {
      body(frame.channel, frame.payload)
    }
  }

  /// How many bytes the frame still lacks; at least 1 while its header is not whole; `nil` for a
  /// frame that is of no use.
  private func measure() -> Int? {
    var reader = ByteReader(buffer.span)
    guard buffer.count >= Self.headerLength, let length = reader.readUInt16() else { return 1 }
    let total = Self.headerLength + Int(length)
    return total <= capacity && buffer.count <= total ? total - buffer.count : nil
  }
}

/// One frame, or the start of one, read in place.
///
/// Core Specification, Vol 3, Part A, 3.1.
struct L2CAPFrame: ~Escapable {
  let channel: L2CAPChannel
  /// What there is of the payload.
  let payload: Span<UInt8>
  /// Whether the payload is just as long as the header tells.
  let isComplete: Bool

  @_lifetime(copy bytes)
  init?(_ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    guard let length = reader.readUInt16(), let channel = reader.readUInt16() else { return nil }
    self.channel = L2CAPChannel(rawValue: channel)
    isComplete = reader.count == Int(length)
    payload = reader.readRemaining()
  }
}
