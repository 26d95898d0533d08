import BluetoothHost

/// Finds the ends of H4 packets in a stream, so that the loop wakes once a packet.
///
/// It only counts; the host's own decoder checks. Core Specification, Vol 4, Part A, 2, and Part E, 5.4.
/// All zeros at the start of a packet, so that a variable of it takes no program memory.
struct PacketBoundary {
  /// How many bytes come before there is something to decide; 0 at the start of a packet.
  private var left = 0
  /// How many of the header's last bytes are the length of what follows; 0 if that length is known.
  private var lengthSize = 0
  /// The byte before.
  private var previous: UInt8 = 0

  init() {}

  /// Counts a byte. `true` if the packet ends with it, or if no packet can begin with it.
  @inline(__always)
  mutating func ends(with byte: UInt8) -> Bool {
    defer { previous = byte }
    if left > 1 {
      left &-= 1
      return false
    }
    return decide(byte)
  }

  /// At the first byte, the last of the header, and the last of all.
  private mutating func decide(_ byte: UInt8) -> Bool {
    switch (left, lengthSize) {
    case (0, _):
      switch HCIPacketType(rawValue: byte) {
      case .event: (left, lengthSize) = (1 + 1, 1)  // event code, length
      case .command, .sco: (left, lengthSize) = (2 + 1, 1)  // opcode or handle, length
      case .acl, .iso: (left, lengthSize) = (2 + 2, 2)  // handle, length
      default: return true
      }
    case (_, 0): left = 0
    case (_, 1): (left, lengthSize) = (Int(byte), 0)
    default: (left, lengthSize) = (Int(byte) &* 256 &+ Int(previous), 0)
    }
    return left == 0
  }
}
