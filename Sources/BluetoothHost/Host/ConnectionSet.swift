/// A set of connections, by index: a bit each.
///
/// It holds the indices 0 to 63 on a 64-bit processor, and 0 to 31 on a 32-bit one.
public struct ConnectionSet: RawRepresentable, Equatable, Sendable {
  /// How many indices it can hold.
  public static var capacity: Int { UInt.bitWidth }

  /// The bits, that of index 0 the lowest.
  public var rawValue: UInt

  /// The indices of the bits that are set.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// The connection at `index` alone.
  public init(_ index: Int) {
    rawValue = Self.bit(index)
  }

  /// No connection.
  public static var none: ConnectionSet { ConnectionSet(rawValue: 0) }
  /// Every index that a set can hold.
  public static var all: ConnectionSet { ConnectionSet(rawValue: .max) }

  /// Whether it holds nothing.
  public var isEmpty: Bool { rawValue == 0 }

  /// How many connections it holds.
  public var count: Int { rawValue.nonzeroBitCount }

  /// Whether it holds the connection at `index`.
  public func contains(_ index: Int) -> Bool { rawValue & Self.bit(index) != 0 }

  /// Adds the connection at `index`.
  public mutating func insert(_ index: Int) { rawValue |= Self.bit(index) }

  /// Removes the connection at `index`.
  public mutating func remove(_ index: Int) { rawValue &= ~Self.bit(index) }

  /// The connections of both sets.
  public func union(_ other: ConnectionSet) -> ConnectionSet {
    ConnectionSet(rawValue: rawValue | other.rawValue)
  }

  /// The connections that are in both sets.
  public func intersection(_ other: ConnectionSet) -> ConnectionSet {
    ConnectionSet(rawValue: rawValue & other.rawValue)
  }

  /// The connections that are not in `other`.
  public func subtracting(_ other: ConnectionSet) -> ConnectionSet {
    ConnectionSet(rawValue: rawValue & ~other.rawValue)
  }

  /// The first connection from `index` on, and then from 0 on; `nil` if there is none.
  @inline(__always)
  public func first(from index: Int) -> Int? {
    guard rawValue != 0 else { return nil }
    let following = rawValue & (UInt.max &<< UInt(bitPattern: index))
    return (following != 0 ? following : rawValue).trailingZeroBitCount
  }

  @inline(__always)
  private static func bit(_ index: Int) -> UInt { 1 &<< UInt(bitPattern: index) }
}
