/// Milliseconds since a start that the caller chooses, never decreasing: the host has no clock.
public struct Instant: RawRepresentable, Comparable, Sendable {
  /// In milliseconds.
  public var rawValue: UInt64

  /// Creates a time from a number of milliseconds.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Whether the first is earlier.
  public static func < (left: Instant, right: Instant) -> Bool { left.rawValue < right.rawValue }

  /// The time `milliseconds` after this one.
  public func advanced(by milliseconds: UInt32) -> Instant {
    Instant(rawValue: rawValue &+ UInt64(widening: milliseconds))
  }

  /// The earlier of two times; `nil` means no time.
  public static func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
    let time = Swift.min(left?.rawValue ?? .max, right?.rawValue ?? .max)
    return time == .max ? nil : Instant(rawValue: time)
  }
}
