extension MutableSpan<UInt8> {
  /// Copies all of `source` to `offset`; nothing if it would not fit.
  @_lifetime(self: copy self)
  @inlinable
  mutating func copy(_ source: Span<UInt8>, at offset: Int) {
    guard offset >= 0, source.count <= count &- offset else { return }
    unsafe copy(unchecked: source, at: offset)
  }

  /// Copies all of `source` to `offset`, where it fits: the caller has checked that.
  ///
  /// The one place that copies by pointers: a checked loop over two spans costs several
  /// instructions a byte, and every packet is copied at least once.
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
}
