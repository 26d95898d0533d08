extension MutableSpan<UInt8> {
  /// Copies all of `source` to `offset`; nothing if it does not fit.
  @_lifetime(self: copy self)
  @inlinable
  mutating func copy(_ source: Span<UInt8>, at offset: Int) {
    guard offset >= 0, source.count <= count &- offset else { return }
    unsafe copy(unchecked: source, at: offset)
  }

  /// Copies all of `source` to `offset`. The caller has checked that it fits.
  ///
  /// The only place that copies with pointers: a checked loop over two spans takes several
  /// instructions per byte, and every packet is copied at least once.
  @unsafe
  @_lifetime(self: copy self)
  @inlinable
  @inline(__always)
  mutating func copy(unchecked source: Span<UInt8>, at offset: Int) {
    unsafe withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { source in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        unsafe (to + offset).copyMemory(from: from, byteCount: source.count)
      }
    }
  }

  /// Moves `length` bytes from `offset` to the front; nothing if there are fewer.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func moveToFront(_ length: Int, from offset: Int) {
    guard offset >= 0, length >= 0, length <= count &- offset else { return }
    unsafe withUnsafeMutableBytes { bytes in
      guard let front = bytes.baseAddress else { return }
      // The two may overlap: this copies like memmove(3).
      unsafe front.copyMemory(from: front + offset, byteCount: length)
    }
  }

  /// Stores a byte, a word with the low byte first, and all of `source` at `offset`. The caller has
  /// checked that they fit.
  @unsafe
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func store(_ byte: UInt8, _ word: UInt64, unchecked source: Span<UInt8>, at offset: Int)
  {
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

/// Assigns `new` to `value` after overwriting every byte of `value`. The language does not promise
/// that for an assignment: the bytes of an optional that becomes `nil` may remain. For values
/// without references.
@inline(never)
func overwrite<Value: ~Copyable>(_ value: inout Value, with new: consuming Value) {
  unsafe withUnsafeMutableBytes(of: &value) { bytes in
    for index in bytes.indices { unsafe bytes[index] = 0 }
  }
  value = new
}

/// A field of one byte that keeps its struct in place.
///
/// The compiler may move a struct of kilobytes as a value: a read of one field can copy all of it,
/// and a span of its storage can then refer to the copy. A field of raw layout cannot be loaded as
/// a value, so neither can a struct that contains it. (Measured with Swift 6.3.1: without this,
/// one question took 17,700 instructions, nearly all of them in `memcpy`.)
@_rawLayout(size: 1, alignment: 1)
struct Pinned: ~Copyable {
  init() {}
  deinit {}
}

extension UInt64 {
  /// The same value in 64 bits.
  ///
  /// On a 32-bit processor Embedded Swift's generic `UInt64(_:)` of a narrower integer requires an
  /// allocating array type, which the compiler rejects; this initialiser does not.
  @inlinable
  public init(widening value: UInt32) {
    self.init(_truncatingBits: UInt(value))
  }
}
