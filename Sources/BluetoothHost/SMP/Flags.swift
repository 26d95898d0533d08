/// A byte whose bits have meanings of their own.
///
/// The part of Swift's `OptionSet` that needs no array: Embedded Swift's option sets allocate.
public protocol Flags: RawRepresentable, Equatable, Sendable where RawValue == UInt8 {
  /// A byte with these bits, known or not.
  init(rawValue: UInt8)
}

extension Flags {
  /// No bit.
  public static var none: Self { Self(rawValue: 0) }

  /// The bits of either.
  public static func | (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue | right.rawValue)
  }

  /// The bits of both.
  public static func & (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue & right.rawValue)
  }

  /// The bits without those of `other`.
  public func subtracting(_ other: Self) -> Self {
    Self(rawValue: rawValue & ~other.rawValue)
  }

  /// Whether it has all the bits of `other`.
  public func contains(_ other: Self) -> Bool { rawValue & other.rawValue == other.rawValue }
}
