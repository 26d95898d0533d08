import BluetoothHost

/// Finds the ends of H4 packets in a stream, a byte at a time, so that the loop wakes once a packet.
///
/// It only counts; the host's own decoder checks. Core Specification, Vol 4, Part A, 2, and Part E, 5.4.
struct PacketBoundary {
  /// What is expected next.
  private enum Step {
    case type
    /// So many bytes of the header before the packet's length, which itself has one byte or two.
    case header(Int, hasLongLength: Bool)
    case lowLength
    case length(low: Int)
    /// So many bytes.
    case body(Int)
  }

  private var step = Step.type

  init() {}

  /// Takes the next byte. `true` if the packet ends with it, or if no packet can begin with it.
  mutating func ends(with byte: UInt8) -> Bool {
    switch step {
    case .type:
      switch HCIPacketType(rawValue: byte) {
      case .event: step = .header(1, hasLongLength: false)
      case .command, .sco: step = .header(2, hasLongLength: false)
      case .acl, .iso: step = .header(2, hasLongLength: true)
      default: return true
      }
    case .header(let count, let hasLongLength):
      if count > 1 {
        step = .header(count &- 1, hasLongLength: hasLongLength)
      } else {
        step = hasLongLength ? .lowLength : .length(low: -1)
      }
    case .lowLength:
      step = .length(low: Int(byte))
    case .length(let low):
      return begin(body: low < 0 ? Int(byte) : Int(byte) &* 256 &+ low)
    case .body(let count):
      return begin(body: count &- 1)
    }
    return false
  }

  private mutating func begin(body count: Int) -> Bool {
    step = count > 0 ? .body(count) : .type
    return count == 0
  }
}
