/// Finds the connection of a handle in constant time.
///
/// A handle has its own slot, or, if that is taken, the first free one. Controllers number their
/// links consecutively, so a handle usually has its own slot.
struct ConnectionTable<let links: Int> {
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
  @inline(__always)
  func index(of handle: ConnectionHandle) -> Int? {
    let slot = Self.slot(of: handle)
    // A span: indexing the array copies all of it.
    if handles.span[slot] == handle.rawValue { return Int(indices.span[slot]) }
    return search(handle).map { Int(indices[$0]) }
  }

  /// Adds the connection at `index` with `handle`. Neither is in the table yet.
  mutating func insert(_ handle: ConnectionHandle, at index: Int) {
    let own = Self.slot(of: handle)
    guard
      let slot = handles[own] == Self.unused
        ? own : search(ConnectionHandle(rawValue: Self.unused))
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

  @inline(never)
  private func search(_ handle: ConnectionHandle) -> Int? {
    for slot in 0..<links where handles[slot] == handle.rawValue { return slot }
    return nil
  }

  @inline(__always)
  private static func slot(of handle: ConnectionHandle) -> Int {
    Int(bitPattern: UInt(handle.rawValue) % UInt(bitPattern: links))
  }
}
