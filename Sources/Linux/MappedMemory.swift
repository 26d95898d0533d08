import BluetoothHost

/// Bytes that the kernel maps, for a program without a heap. A page costs memory once it is touched.
@safe
package struct MappedBytes: ~Copyable {
  private let start: UnsafeMutableRawPointer
  private let pin = Pinned()

  /// Their number.
  package let count: Int

  /// Maps `count` zeros; `nil` if the kernel refuses.
  package init?(_ count: Int) {
    guard let start = unsafe clinux_map(count) else { return nil }
    unsafe self.start = start
    self.count = count
  }

  deinit { unsafe clinux_unmap(start, count) }

  /// The bytes.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      let span = unsafe Span<UInt8>(
        _unsafeStart: start.assumingMemoryBound(to: UInt8.self), count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// The bytes, to be changed.
  package var mutableSpan: MutableSpan<UInt8> {
    @_lifetime(&self)
    mutating get {
      let span = unsafe MutableSpan<UInt8>(
        _unsafeStart: start.assumingMemoryBound(to: UInt8.self), count: count)
      return unsafe _overrideLifetime(span, mutating: &self)
    }
  }

  /// Gives the memory after the first `kept` bytes back. `kept` is a multiple of 64 kB, of which a page is
  /// a part on each processor.
  package mutating func discard(after kept: Int) {
    guard kept >= 0, kept < count else { return }
    unsafe clinux_discard(start + kept, count - kept)
  }
}

/// A large value in memory of its own, which the kernel maps: for state that few programs use.
@safe
package struct Mapped<Value: ~Copyable>: ~Copyable {
  private let pointer: UnsafeMutablePointer<Value>

  /// Maps memory for the value of `make`; `nil` if the kernel refuses, or `make` returns `nil`.
  package init?(_ make: () -> Value?) {
    let size = MemoryLayout<Value>.size
    guard let start = unsafe clinux_map(size) else { return nil }
    guard let value = make() else {
      unsafe clinux_unmap(start, size)
      return nil
    }
    unsafe pointer = start.initializeMemory(as: Value.self, to: value)
  }

  deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe clinux_unmap(pointer, MemoryLayout<Value>.size)
  }

  /// The value.
  package var value: Value {
    unsafeAddress { unsafe UnsafePointer(pointer) }
    unsafeMutableAddress { unsafe pointer }
  }
}
