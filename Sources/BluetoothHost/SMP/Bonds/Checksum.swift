/// CRC-32 of bytes, as in ISO 3309 and ITU-T V.42, which detects changes of a few bits.
///
/// It detects faults of a disk. It is no protection against forged files.
struct Checksum {
  /// The inverted remainder.
  private var remainder: UInt32 = .max

  /// The checksum of no bytes.
  init() {}

  /// The checksum of the added bytes.
  var value: UInt32 { ~remainder }

  /// Adds bytes, bit by bit: a file is too short to need a table.
  mutating func add(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      remainder ^= UInt32(bytes[index])
      for _ in 0..<8 {
        // Without branches, since some of the bytes are keys.
        remainder = remainder &>> 1 ^ 0xEDB8_8320 & (0 &- (remainder & 1))
      }
    }
  }
}
