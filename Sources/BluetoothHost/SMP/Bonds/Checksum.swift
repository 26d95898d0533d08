/// CRC-32 of bytes, as in ISO 3309 and ITU-T V.42: finds each change of a few bits.
///
/// It is for what a disk loses. It keeps nobody from writing a file that looks right.
struct Checksum {
  /// Inverted, as it is worked out.
  private var remainder: UInt32 = .max

  /// The checksum of no bytes.
  init() {}

  /// The checksum of what was added.
  var value: UInt32 { ~remainder }

  /// Adds bytes. Bit by bit: a table would take longer to explain than a file takes to check.
  mutating func add(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      remainder ^= UInt32(bytes[index])
      for _ in 0..<8 {
        // No branch: some of the bytes are keys.
        remainder = remainder &>> 1 ^ 0xEDB8_8320 & (0 &- (remainder & 1))
      }
    }
  }
}
