import BluetoothHost
import Linux

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

  /// Gives the memory after the first `kept` bytes back. `kept` is a multiple of 64 kB, the longest page of any
  /// processor.
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

/// `capacity` values, in memory that the kernel maps. A page costs memory once it is touched.
@safe
package struct MappedArray<Element: ~Copyable>: ~Copyable {
  private let start: UnsafeMutablePointer<Element>
  private let pin = Pinned()
  /// The number of elements.
  package let capacity: Int

  /// Maps memory for this many elements, whose bytes are zeros: if they are not values of `Element`, each must be
  /// assigned before it is read. `nil` if the kernel refuses.
  @unsafe
  package init?(zeros capacity: Int) {
    guard let start = unsafe clinux_map(capacity &* MemoryLayout<Element>.stride) else {
      return nil
    }
    unsafe self.start = start.assumingMemoryBound(to: Element.self)
    self.capacity = capacity
  }

  /// Maps memory for this many values of `make`. `nil` if the kernel refuses.
  package init?(_ capacity: Int, _ make: () -> Element) {
    unsafe self.init(zeros: capacity)
    for index in 0..<capacity { unsafe (start + index).initialize(to: make()) }
  }

  deinit {
    unsafe start.deinitialize(count: capacity)
    unsafe clinux_unmap(start, capacity &* MemoryLayout<Element>.stride)
  }

  /// The element at `index`, which is below `capacity`.
  package subscript(index: Int) -> Element {
    unsafeAddress {
      precondition(index >= 0 && index < capacity)
      return unsafe UnsafePointer(start + index)
    }
    unsafeMutableAddress {
      precondition(index >= 0 && index < capacity)
      return unsafe start + index
    }
  }
}
