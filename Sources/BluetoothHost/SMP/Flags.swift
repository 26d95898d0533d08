/// A byte of flags.
///
/// A part of Swift's `OptionSet` without arrays, since option sets allocate in Embedded Swift.
public protocol Flags: RawRepresentable, Equatable, Sendable where RawValue == UInt8 {
  /// A byte with these bits, known or not.
  init(rawValue: UInt8)
}

extension Flags {
  /// No flags.
  public static var none: Self { Self(rawValue: 0) }

  /// The flags of either.
  public static func | (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue | right.rawValue)
  }

  /// The flags of both.
  public static func & (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue & right.rawValue)
  }

  /// The flags without those of `other`.
  public func subtracting(_ other: Self) -> Self {
    Self(rawValue: rawValue & ~other.rawValue)
  }

  /// Whether it has all flags of `other`.
  public func contains(_ other: Self) -> Bool { rawValue & other.rawValue == other.rawValue }
}
