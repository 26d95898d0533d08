import BluetoothHost

/// Finds the ends of H4 packets in a stream, so that the loop wakes once a packet.
///
/// It only counts; the host's decoder checks. Core Specification, Vol 4, Part A, 2, and Part E,
/// 5.4. All zeros at the start of a packet, so that a variable of it takes no program memory.
struct PacketBoundary {
  /// How many bytes to skip before the next one that is decoded. The receiver counts them down.
  var skipped = 0
  private var next = Next.type
  /// The low byte of a two-byte length.
  private var low = 0

  /// What the decoded byte is.
  private enum Next: UInt8 {
    case type
    case lengthOfOne
    case lowOfLength
    case highOfLength
    case last
  }

  init() {}

  /// Decodes a byte. `true` if the packet ends with it, or if no packet can begin with it.
  @inline(never)
  mutating func ends(with byte: UInt8) -> Bool {
    let byte = Int(byte)
    skipped = 0
    switch next {
    case .type:
      switch HCIPacketType(rawValue: UInt8(truncatingIfNeeded: byte)) {
      case .event: (skipped, next) = (1, .lengthOfOne)  // event code
      case .command, .sco: (skipped, next) = (2, .lengthOfOne)  // opcode or handle
      case .acl, .iso: (skipped, next) = (2, .lowOfLength)  // handle
      default: return true
      }
      return false
    case .lengthOfOne: return begin(byte)
    case .lowOfLength:
      (low, next) = (byte, .highOfLength)
      return false
    case .highOfLength: return begin(byte &* 256 &+ low)
    case .last:
      next = .type
      return true
    }
  }

  /// Begins a body of `length` bytes; `true` if it is empty.
  private mutating func begin(_ length: Int) -> Bool {
    if length == 0 {
      next = .type
      return true
    }
    (skipped, next) = (length &- 1, .last)
    return false
  }
}
