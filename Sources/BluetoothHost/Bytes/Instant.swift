/// A moment, in milliseconds since some moment of the caller's choosing; it never goes back.
///
/// The host has no clock: every call that needs the time is given it.
public struct Instant: RawRepresentable, Comparable, Sendable {
  /// In milliseconds.
  public var rawValue: UInt64

  /// The moment after so many milliseconds.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Whether the first is the earlier.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The moment `milliseconds` after this one.
  public func advanced(by milliseconds: UInt32) -> Instant {
    Instant(rawValue: rawValue &+ UInt64(widening: milliseconds))
  }

  /// The earlier of two moments, of which each may be missing.
  public static func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
    let time = Swift.min(left?.rawValue ?? .max, right?.rawValue ?? .max)
    return time == .max ? nil : Instant(rawValue: time)
  }
}
