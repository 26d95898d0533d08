extension MutableSpan<UInt8> {
  /// Copies all of `source` to `offset`; nothing if it does not fit.
  @_lifetime(self: copy self) @inlinable mutating func copy(_ source: Span<UInt8>, at offset: Int) {
    guard offset >= 0, source.count <= count &- offset else { return }
    unsafe copy(unchecked: source, at: offset)
  }

  /// Copies `source` to `offset`, where it fits. With pointers, since a checked loop takes several
  /// instructions per byte, and every packet is copied.
  @unsafe @_lifetime(self: copy self) @inlinable @inline(__always) mutating func copy(
    unchecked source: Span<UInt8>, at offset: Int
  ) {
    unsafe withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { source in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        unsafe (to + offset).copyMemory(from: from, byteCount: source.count)
      }
    }
  }

  /// Moves `length` bytes from `offset` to the front; nothing if there are fewer.
  @_lifetime(self: copy self) @inline(never) package mutating func moveToFront(
    _ length: Int, from offset: Int
  ) {
    guard offset >= 0, length >= 0, length <= count &- offset else { return }
    unsafe withUnsafeMutableBytes { bytes in
      guard let front = bytes.baseAddress else { return }
      // The two may overlap: this copies like memmove(3).
      unsafe front.copyMemory(from: front + offset, byteCount: length)
    }
  }

  /// Stores a byte, a little-endian word, and `source` at `offset`, where they fit.
  @unsafe @_lifetime(self: copy self) @inline(__always) mutating func store(
    _ byte: UInt8, _ word: UInt64, unchecked source: Span<UInt8>, at offset: Int
  ) {
    unsafe withUnsafeMutableBytes { target in
      guard let to = target.baseAddress else { return }
      unsafe (to + offset).storeBytes(of: byte, as: UInt8.self)
      unsafe (to + (offset &+ 1)).storeBytes(of: word.littleEndian, as: UInt64.self)
      // A response of one byte, such as to a write, needs no call.
      if source.count == 1 {
        unsafe (to + (offset &+ 9)).storeBytes(of: source[unchecked: 0], as: UInt8.self)
      } else if source.count > 1 {
        unsafe source.withUnsafeBytes { source in
          guard let from = source.baseAddress else { return }
          unsafe (to + (offset &+ 9)).copyMemory(from: from, byteCount: source.count)
        }
      }
    }
  }
}

extension Span<UInt8> {
  /// Whether it has the same bytes as `other`, in the same order.
  public func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}

/// Assigns `new` after overwriting every byte of `value`, which an assignment need not do: an
/// optional that becomes `nil` may keep its bytes. For values without references.
@inline(never) func overwrite<Value: ~Copyable>(_ value: inout Value, with new: consuming Value) {
  unsafe withUnsafeMutableBytes(of: &value) { bytes in
    for index in bytes.indices { unsafe bytes[index] = 0 }
  }
  value = new
}

/// A byte of raw layout, which keeps its struct in place: the compiler may copy a struct of
/// kilobytes to read one field, and a span may then refer to the copy. (Swift 6.3.1: a question
/// took 17,700 instructions without this, most in `memcpy`.)
@_rawLayout(size: 1, alignment: 1) package struct Pinned: ~Copyable {
  package init() {}
  deinit {}
}

extension UInt64 {
  /// The same value: on 32 bits, Embedded Swift's `UInt64(_:)` of a narrower integer would require
  /// an allocating array.
  @inlinable public init(widening value: UInt32) { self.init(_truncatingBits: UInt(value)) }
}
