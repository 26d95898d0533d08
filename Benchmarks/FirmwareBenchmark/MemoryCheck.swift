/// Compares the image's own memory functions with simple loops: each length up to 20, at
/// each alignment of both sides, apart and overlapping either way. Ends the benchmark if they differ.
@inline(never)
func checkMemoryFunctions() {
  for count in 0...20 {
    for from in 24..<28 {
      for to in 0...48 {
        var bytes = InlineArray<72, UInt8> { UInt8(truncatingIfNeeded: $0) }
        var expected = bytes
        for index in 0..<count { expected[to + index] = bytes[from + index] }
        bytes.withAddress { moveBytes($0 &+ UInt(to), $0 &+ UInt(from), UInt(count)) }
        guard bytes.isEqual(to: expected) else { fail("Memory is not moved right.") }
        for index in 0..<count { expected[to + index] = 0xA5 }
        // Only the low byte counts.
        bytes.withAddress { fillBytes($0 &+ UInt(to), UInt(count), 0x1A5) }
        guard bytes.isEqual(to: expected) else { fail("Memory is not filled right.") }
      }
    }
  }
}

extension InlineArray<72, UInt8> {
  /// Calls `body` with where its bytes are.
  fileprivate mutating func withAddress(_ body: (UInt) -> Void) {
    var span = mutableSpan
    unsafe span.withUnsafeMutableBytes { bytes in body(UInt(bitPattern: bytes.baseAddress)) }
  }

  fileprivate func isEqual(to other: Self) -> Bool {
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}
