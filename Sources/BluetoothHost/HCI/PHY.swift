/// A modulation of the radio. Core Specification, Vol 6, Part B, 2; the values are those of HCI. An
/// open set.
public struct PHY: RawRepresentable, Hashable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// 1 Mbit/s, which every LE device has.
  public static let le1M = PHY(rawValue: 1)
  /// 2 Mbit/s.
  public static let le2M = PHY(rawValue: 2)
  /// 1 Mbit/s with error correction: 125 or 500 kbit/s, for long range.
  public static let leCoded = PHY(rawValue: 3)

  /// The set with this PHY alone; empty for an unknown one.
  public var set: PHYSet {
    PHYSet(rawValue: rawValue >= 1 && rawValue <= 3 ? 1 &<< (rawValue &- 1) : 0)
  }
}

/// A field of a packet with a bit for each of several choices. Not an `OptionSet`, since these
/// allocate in Embedded Swift.
public protocol BitField: RawRepresentable, Hashable, Sendable where RawValue: FixedWidthInteger {
  /// Any bits, known or not.
  init(rawValue: RawValue)
}

extension BitField {
  /// No bits.
  public static var none: Self { Self(rawValue: 0) }

  /// Whether it has no bits.
  public var isEmpty: Bool { rawValue == 0 }

  /// Whether it has all bits of `other`.
  public func contains(_ other: Self) -> Bool { rawValue & other.rawValue == other.rawValue }

  /// The bits that `other` does not have.
  public func removing(_ other: Self) -> Self { Self(rawValue: rawValue & ~other.rawValue) }

  /// The bits of both together.
  public static func | (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue | right.rawValue)
  }

  /// The bits that both have.
  public static func & (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue & right.rawValue)
  }
}

/// Some of the PHYs.
public struct PHYSet: BitField {
  /// The value in the packet.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// 1 Mbit/s.
  public static let le1M = PHYSet(rawValue: 0b001)
  /// 2 Mbit/s.
  public static let le2M = PHYSet(rawValue: 0b010)
  /// The coded PHY.
  public static let leCoded = PHYSet(rawValue: 0b100)
}
