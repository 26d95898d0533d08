import BluetoothHost

/// Assembles the L2CAP frames of one link and direction for a log.
///
/// Core Specification, Vol 3, Part A, 3.1 and 7.2. The host's reassembler keeps only the frames
/// that it needs; this one keeps each, up to 65,539 bytes, and reports its progress.
struct FrameAssembly {
  /// The effect of a fragment.
  enum Progress: Equatable {
    /// It continues no frame that was seen.
    case stray
    /// The frame is incomplete. `total` is its length with the header; `nil` while the header is
    /// incomplete.
    case partial(total: Int?)
    /// The frame is complete: `frame` contains it, and the fragment begins at `first`.
    case whole(first: Int)
    /// The fragment has this many bytes more than the frame's length.
    case overlong(Int)
  }

  /// The length of a frame's header: two bytes of length, two of channel.
  static let headerLength = 4

  /// The bytes of the frame so far.
  private(set) var frame: [UInt8] = []
  private var isUnfinished = false

  /// Takes the next fragment.
  mutating func take(_ fragment: Span<UInt8>, begins: Bool) -> Progress {
    if begins {
      frame.removeAll(keepingCapacity: true)
    } else if !isUnfinished {
      return .stray
    }
    let first = frame.count
    for index in fragment.indices { frame.append(fragment[index]) }
    isUnfinished = true
    guard let total else { return .partial(total: nil) }
    guard frame.count >= total else { return .partial(total: total) }
    isUnfinished = false
    return frame.count == total ? .whole(first: first) : .overlong(frame.count - total)
  }

  /// The channel, once it is known.
  var channel: L2CAPChannel? {
    frame.count < Self.headerLength
      ? nil : L2CAPChannel(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8)
  }

  /// The length of the whole frame, once it is known.
  private var total: Int? {
    frame.count < Self.headerLength
      ? nil : Self.headerLength + (Int(frame[0]) | Int(frame[1]) << 8)
  }
}
