/// A length of time, as a person gives it: `3s`, `0.5s`, `250ms`, `3`.
struct TimeOption: Equatable, CustomStringConvertible {
  /// The longest time that a command waits, in milliseconds.
  static let hour: UInt32 = 3_600_000

  var milliseconds: UInt32

  init(milliseconds: UInt32) {
    self.milliseconds = milliseconds
  }

  /// - Parameter longest: The upper limit in milliseconds; the lower one is 1.
  /// - Returns: `nil` for a text of another form, or a time out of range.
  init?(_ text: String, upTo longest: UInt32) {
    let number: Substring
    let factor: Double
    if text.hasSuffix("ms") {
      (number, factor) = (text.dropLast(2), 1)
    } else {
      (number, factor) = (text.hasSuffix("s") ? text.dropLast() : text[...], 1_000)
    }
    guard let value = Double(number), value.isFinite, value * factor >= 1,
      value * factor <= Double(longest)
    else { return nil }
    milliseconds = UInt32((value * factor).rounded())
  }

  var description: String {
    milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
  }
}
