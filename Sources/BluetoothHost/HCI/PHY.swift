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
    rawValue >= 1 && rawValue <= 3 ? PHYSet(rawValue: 1 &<< (rawValue &- 1)) : []
  }
}

/// Some of the PHYs, as a bit each.
public struct PHYSet: OptionSet, Sendable {
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
