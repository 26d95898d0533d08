import BluetoothHost
import Expectations

extension WideNumber {
  /// The number from its 64-bit words, the most significant first.
  init(_ words: UInt64...) {
    self = .zero
    for (index, word) in words.reversed().enumerated() {
      self.words[2 * index] = UInt32(truncatingIfNeeded: word)
      self.words[2 * index + 1] = UInt32(truncatingIfNeeded: word >> 32)
    }
  }
}

extension WideNumber: CustomTestStringConvertible {
  /// In hexadecimal, for messages of failed checks.
  public var testDescription: String {
    (0..<wordCount).reversed().map {
      let digits = String(words[$0], radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }
}
