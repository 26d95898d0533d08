import BluetoothHost

/// Finds the ends of H4 packets in a stream, a byte at a time, so that the loop wakes once a packet.
///
/// It only counts; the host's own decoder checks. Core Specification, Vol 4, Part A, 2, and Part E, 5.4.
/// All zeros at the start of a packet, so that a variable of it takes no program memory.
struct PacketBoundary {
  /// How many bytes of the packet have come.
  private var count = 0
  /// After how many bytes its header ends, of which the last one or two are its length.
  private var headerLength = 0
  private var hasLongLength = false
  /// After how many bytes it ends, as far as its header has come.
  private var length = 0

  init() {}

  /// Takes the next byte. `true` if the packet ends with it, or if no packet can begin with it.
  mutating func ends(with byte: UInt8) -> Bool {
    count &+= 1
    if count == 1 {
      guard begin(HCIPacketType(rawValue: byte)) else {
        count = 0
        return true
      }
    } else if hasLongLength, count == headerLength &- 1 {
      length = Int(byte)
    } else if count == headerLength {
      length = headerLength &+ (hasLongLength ? Int(byte) &* 256 &+ length : Int(byte))
    }
    guard count >= headerLength, count == length else { return false }
    self = PacketBoundary()
    return true
  }

  private mutating func begin(_ type: HCIPacketType) -> Bool {
    switch type {
    case .event: headerLength = 1 + 1 + 1  // type, event code, length
    case .command, .sco: headerLength = 1 + 2 + 1  // type, opcode or handle, length
    case .acl, .iso: headerLength = 1 + 2 + 2  // type, handle, length
    default: return false
    }
    hasLongLength = headerLength == 5
    return true
  }
}
