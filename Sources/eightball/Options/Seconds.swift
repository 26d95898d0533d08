import ArgumentParser

/// A time to wait, as a person gives it: `2`, `0.5`; more than nothing and at most an hour.
struct Seconds: Equatable, CustomStringConvertible {
  var milliseconds: UInt32

  init(milliseconds: UInt32) {
    self.milliseconds = milliseconds
  }

  /// - Throws: What was expected.
  init(_ text: String) throws {
    guard let seconds = Double(text), seconds >= 0.001, seconds <= 3_600 else {
      throw ValidationError("expected seconds, such as 2 or 0.5, up to 3600")
    }
    milliseconds = UInt32((seconds * 1_000).rounded())
  }

  var description: String {
    milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)" : "\(Double(milliseconds) / 1_000)"
  }
}
