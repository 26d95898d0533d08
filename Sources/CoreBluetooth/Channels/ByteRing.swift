import BluetoothHost

/// A queue of bytes with a limited capacity. It occupies memory from the first byte on.
struct ByteRing {
  private var storage: [UInt8] = []
  private var head = 0
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int) { self.capacity = capacity }

  /// The number of bytes that it has room for.
  var freeCapacity: Int { max(0, capacity - count) }
  var isEmpty: Bool { count == 0 }
  /// How much memory it occupies, in bytes.
  var size: Int { storage.count }

  /// Appends the first bytes, as many as there is room for. Returns their number.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let size = min(bytes.count, freeCapacity)
    guard size > 0 else { return 0 }
    if storage.isEmpty { storage = [UInt8](repeating: 0, count: capacity) }
    let start = (head + count) % storage.count
    let first = min(size, storage.count - start)
    unsafe storage.withUnsafeMutableBytes { storage in
      unsafe UnsafeMutableRawBufferPointer(rebasing: storage[start..<start + first]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[..<first]))
      unsafe storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[first..<size]))
    }
    count += size
    return size
  }

  /// Moves the first bytes to `target`, as many as fit. Returns their number.
  mutating func remove(into target: UnsafeMutableRawBufferPointer) -> Int {
    let size = min(target.count, count)
    let first = min(size, storage.count - head)
    unsafe storage.withUnsafeBytes { storage in
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[head..<head + first]))
      unsafe UnsafeMutableRawBufferPointer(rebasing: target[first...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: storage[..<(size - first)]))
    }
    removeFirst(size)
    return size
  }

  /// Writes the bytes from `offset` on, as many as `writer` has room for. Does not remove them.
  func write(from offset: Int, into writer: inout ByteWriter) {
    let size = min(writer.freeCapacity, count - offset)
    guard size > 0 else { return }
    let start = (head + offset) % storage.count
    let first = min(size, storage.count - start)
    writer.write(storage.span.extracting(start..<start + first))
    writer.write(storage.span.extracting(0..<size - first))
  }

  /// Removes the first `size` bytes.
  mutating func removeFirst(_ size: Int) {
    guard size > 0 else { return }
    head = (head + size) % storage.count
    count -= size
    // Nothing follows in a ring without capacity.
    if isEmpty, capacity == 0 { storage = [] }
  }

  mutating func removeAll() { removeFirst(count) }

  /// Takes no more bytes, and occupies only the memory of those that it has.
  mutating func close() {
    let bytes = (0..<count).map { storage[(head + $0) % storage.count] }
    storage = bytes
    head = 0
    capacity = 0
  }
}
