import BluetoothHost
import Testing

extension WideNumber {
  /// The number as people write it, the most significant 64 bits first.
  init(_ words: UInt64...) {
    self = .zero
    for (index, word) in words.reversed().enumerated() {
      self.words[2 * index] = UInt32(truncatingIfNeeded: word)
      self.words[2 * index + 1] = UInt32(truncatingIfNeeded: word >> 32)
    }
  }
}

extension WideNumber: CustomTestStringConvertible {
  /// As people write it, for failures.
  public var testDescription: String {
    (0..<wordCount).reversed().map {
      let digits = String(words[$0], radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }
}

/// A random number generator for tests alone: the same numbers for the same seed (SplitMix64).
struct FixedSecrets: SecureRandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
