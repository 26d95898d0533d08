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
