/// Up to `capacity` bytes, first in, first out. `capacity` is a power of two.
struct ByteRing<let capacity: Int>: ~Copyable {
  private var storage = InlineArray<capacity, UInt8>(repeating: 0)
  /// Where the oldest byte is.
  private var start = 0
  /// How many bytes it holds.
  private(set) var count = 0

  init() {}

  /// Whether it holds nothing.
  var isEmpty: Bool { count == 0 }

  /// The number of bytes that still fit.
  var freeCapacity: Int { capacity &- count }

  /// Forgets everything.
  mutating func removeAll() {
    start = 0
    count = 0
  }

  /// Adds a byte; `false`, and nothing changes, if it does not fit.
  @inline(__always)
  mutating func append(_ byte: UInt8) -> Bool {
    guard count < capacity else { return false }
    storage[(start &+ count) & (capacity &- 1)] = byte
    count &+= 1
    return true
  }

  /// Takes the oldest byte.
  @inline(__always)
  mutating func popFirst() -> UInt8? {
    guard count > 0 else { return nil }
    let byte = storage[start]
    start = (start &+ 1) & (capacity &- 1)
    count &-= 1
    return byte
  }

  /// Adds the first of `bytes`, as many as fit; how many those are.
  mutating func append(_ bytes: Span<UInt8>) -> Int {
    let total = min(bytes.count, freeCapacity)
    let end = (start &+ count) & (capacity &- 1)
    let first = min(total, capacity &- end)
    var space = storage.mutableSpan
    space.copy(bytes.extracting(0..<first), at: end)
    space.copy(bytes.extracting(first..<total), at: 0)
    count &+= total
    return total
  }

  /// Takes the oldest bytes, as many as there are and `space` holds; how many those are.
  mutating func move(into space: inout MutableSpan<UInt8>) -> Int {
    let total = min(count, space.count)
    let first = min(total, capacity &- start)
    space.copy(storage.span.extracting(start..<start &+ first), at: 0)
    space.copy(storage.span.extracting(0..<total &- first), at: first)
    start = (start &+ total) & (capacity &- 1)
    count &-= total
    return total
  }
}
