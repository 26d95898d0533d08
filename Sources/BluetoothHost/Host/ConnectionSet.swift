/// A set of connections, by index: a bit each.
///
/// It holds the indices 0 to 63 on a 64-bit processor, and 0 to 31 on a 32-bit one.
public struct ConnectionSet: Equatable, Sendable {
  /// How many indices it can hold.
  public static var capacity: Int { UInt.bitWidth }

  private var bits: UInt

  private init(bits: UInt) {
    self.bits = bits
  }

  /// No connection.
  public static var none: ConnectionSet { ConnectionSet(bits: 0) }
  /// Every index that a set can hold.
  public static var all: ConnectionSet { ConnectionSet(bits: .max) }

  /// Whether it holds nothing.
  public var isEmpty: Bool { bits == 0 }

  /// How many connections it holds.
  public var count: Int { bits.nonzeroBitCount }

  /// Whether it holds the connection at `index`.
  public func contains(_ index: Int) -> Bool { bits & Self.bit(index) != 0 }

  /// Adds the connection at `index`.
  public mutating func insert(_ index: Int) { bits |= Self.bit(index) }

  /// Removes the connection at `index`.
  public mutating func remove(_ index: Int) { bits &= ~Self.bit(index) }

  /// The connections of both sets.
  public func union(_ other: ConnectionSet) -> ConnectionSet {
    ConnectionSet(bits: bits | other.bits)
  }

  /// The connections that are in both sets.
  public func intersection(_ other: ConnectionSet) -> ConnectionSet {
    ConnectionSet(bits: bits & other.bits)
  }

  /// The connections that are not in `other`.
  public func subtracting(_ other: ConnectionSet) -> ConnectionSet {
    ConnectionSet(bits: bits & ~other.bits)
  }

  /// The first connection from `index` on, and then from 0 on; `nil` if there is none.
  @inline(__always)
  public func first(from index: Int) -> Int? {
    guard bits != 0 else { return nil }
    let following = bits & (UInt.max &<< UInt(bitPattern: index))
    return (following != 0 ? following : bits).trailingZeroBitCount
  }

  @inline(__always)
  private static func bit(_ index: Int) -> UInt { 1 &<< UInt(bitPattern: index) }
}
