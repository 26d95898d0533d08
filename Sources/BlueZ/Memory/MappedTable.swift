import BluetoothHost
import Linux

/// A table of values without references that grows in memory which the kernel maps.
@safe
package struct MappedTable<Element>: ~Copyable {
  private var start: UnsafeMutablePointer<Element>?
  private let capacity: Int
  private let pin = Pinned()

  /// Its values.
  package private(set) var count = 0

  /// A table for at most `capacity` values. Its memory is mapped for the first.
  package init(_ capacity: Int) {
    unsafe start = nil
    self.capacity = capacity
  }

  deinit { if let start = unsafe start { unsafe clinux_unmap(start, size) } }

  private var size: Int { capacity &* MemoryLayout<Element>.stride }

  /// Appends a value.
  ///
  /// - Returns: Whether that was possible: not if the table is full, or if the kernel refuses the memory.
  package mutating func append(_ element: Element) -> Bool {
    if unsafe start == nil {
      unsafe start = clinux_map(size)?.bindMemory(to: Element.self, capacity: capacity)
    }
    guard count < capacity, let start = unsafe start else { return false }
    unsafe (start + count).initialize(to: element)
    count &+= 1
    return true
  }

  /// Removes all values, and gives their memory back.
  package mutating func removeAll() {
    if let start = unsafe start { unsafe clinux_unmap(start, size) }
    unsafe start = nil
    count = 0
  }

  /// The values.
  package var span: Span<Element> {
    @_lifetime(borrow self)
    borrowing get {
      guard let start = unsafe start else { return Span() }
      let span = unsafe Span<Element>(_unsafeStart: start, count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// The values, to be changed.
  package var mutableSpan: MutableSpan<Element> {
    @_lifetime(&self)
    mutating get {
      guard let start = unsafe start else { return MutableSpan() }
      let span = unsafe MutableSpan<Element>(_unsafeStart: start, count: count)
      return unsafe _overrideLifetime(span, mutating: &self)
    }
  }
}
