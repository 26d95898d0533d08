/// Finds the connection of a handle in constant time. A handle has its own slot, or, if that is
/// taken, the first free one. Controllers number their links consecutively, so a handle usually has
/// its own slot.
struct ConnectionTable<let links: Int>: ~Copyable {
  private let pin = Pinned()
  /// The open links.
  private(set) var open = ConnectionSet.none
  /// The index of a connection, by slot.
  private var indices = InlineArray<links, UInt8>(repeating: 0)
  /// The handle of that connection; `unused` where there is none.
  private var handles = InlineArray<links, UInt16>(repeating: Self.unused)

  /// No handle has more than 12 bits.
  private static var unused: UInt16 { .max }

  init() {}

  /// How many links there are.
  private(set) var count = 0

  /// The index of the connection with `handle`; `nil` if there is none.
  @inline(__always) func index(of handle: ConnectionHandle) -> Int? {
    let slot = Self.slot(of: handle)
    if handles[slot] == handle.rawValue { return Int(indices[slot]) }
    return search(handle).map { Int(indices[$0]) }
  }

  /// Adds the connection at `index` with `handle`. Neither is in the table yet.
  mutating func insert(_ handle: ConnectionHandle, at index: Int) {
    let own = Self.slot(of: handle)
    guard
      let slot = handles[own] == Self.unused ? own : search(ConnectionHandle(rawValue: Self.unused))
    else { return }
    handles[slot] = handle.rawValue
    indices[slot] = UInt8(truncatingIfNeeded: index)
    open.insert(index)
    count += 1
  }

  /// Removes the connection at `index` with `handle`.
  mutating func remove(_ handle: ConnectionHandle, at index: Int) {
    guard let slot = search(handle) else { return }
    handles[slot] = Self.unused
    open.remove(index)
    count -= 1
  }

  @inline(never) private func search(_ handle: ConnectionHandle) -> Int? {
    for slot in 0..<links where handles[slot] == handle.rawValue { return slot }
    return nil
  }

  @inline(__always) private static func slot(of handle: ConnectionHandle) -> Int {
    Int(bitPattern: UInt(handle.rawValue) % UInt(bitPattern: links))
  }
}

/// A set of connections, by index: a bit each.
///
/// It holds the indices 0 to 63 on a 64-bit processor, and 0 to 31 on a 32-bit one.
public struct ConnectionSet: RawRepresentable, Equatable, Sendable {
  /// How many indices it can hold.
  public static var capacity: Int { UInt.bitWidth }

  /// The bits, that of index 0 the lowest.
  public var rawValue: UInt

  /// The indices of the bits that are set.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The connection at `index` alone.
  public init(_ index: Int) { rawValue = Self.bit(index) }

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
  @inline(__always) public func first(from index: Int) -> Int? {
    guard rawValue != 0 else { return nil }
    let following = rawValue & (UInt.max &<< UInt(bitPattern: index))
    return (following != 0 ? following : rawValue).trailingZeroBitCount
  }

  @inline(__always) private static func bit(_ index: Int) -> UInt { 1 &<< UInt(bitPattern: index) }
}
