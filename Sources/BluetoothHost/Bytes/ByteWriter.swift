/// Writes a packet, little-endian, to the caller's storage. What does not fit is left out, and
/// `hasOverflowed` stays true: check it at the end. Each write checks once, in `reserve`, and
/// stores unchecked: `limit` is never past the end.
public struct ByteWriter: ~Copyable, ~Escapable {
  @usableFromInline var storage: MutableSpan<UInt8>
  @usableFromInline let limit: Int

  @usableFromInline var written = 0
  @usableFromInline var overflowed = false

  /// The number of bytes written so far.
  @inlinable public var count: Int { written }

  /// Whether a write did not fit. The bytes written before it are complete.
  @inlinable public var hasOverflowed: Bool { overflowed }

  /// Creates a writer to `storage`.
  @_lifetime(copy storage) @inlinable public init(_ storage: consuming MutableSpan<UInt8>) {
    limit = storage.count
    self.storage = storage
  }

  /// Creates a writer to `storage`, for at most `limit` bytes.
  @_lifetime(copy storage) @inlinable public init(
    _ storage: consuming MutableSpan<UInt8>, limit: Int
  ) {
    self.limit = max(0, min(limit, storage.count))
    self.storage = storage
  }

  /// The number of bytes that still fit.
  @inlinable public var freeCapacity: Int { limit &- written }

  /// The bytes written so far.
  var span: Span<UInt8> {
    @_lifetime(borrow self) borrowing get { storage.span.extracting(0..<written) }
  }

  /// Writes one byte.
  @inlinable @_lifetime(self: copy self) public mutating func write(_ value: UInt8) {
    guard reserve(1) else { return }
    unsafe storage[unchecked: written] = value
    written &+= 1
  }

  /// Writes one byte as two's complement.
  @inlinable @_lifetime(self: copy self) public mutating func write(_ value: Int8) {
    write(UInt8(bitPattern: value))
  }

  /// Writes two bytes, low byte first.
  @inlinable @_lifetime(self: copy self) public mutating func write(_ value: UInt16) {
    guard reserve(2) else { return }
    let offset = written
    var bytes = unsafe storage.mutableBytes
    unsafe bytes.storeBytes(of: value.littleEndian, toUncheckedByteOffset: offset, as: UInt16.self)
    written &+= 2
  }

  /// Writes the three low bytes, low byte first.
  @_lifetime(self: copy self) mutating func writeUInt24(_ value: UInt32) {
    write(UInt16(truncatingIfNeeded: value))
    write(UInt8(truncatingIfNeeded: value >> 16))
  }

  /// Writes four bytes, low byte first.
  @inlinable @_lifetime(self: copy self) public mutating func write(_ value: UInt32) {
    guard reserve(4) else { return }
    let offset = written
    var bytes = unsafe storage.mutableBytes
    unsafe bytes.storeBytes(of: value.littleEndian, toUncheckedByteOffset: offset, as: UInt32.self)
    written &+= 4
  }

  /// Writes eight bytes, low byte first.
  @inlinable @_lifetime(self: copy self) @inline(__always) public mutating func write(
    _ value: UInt64
  ) {
    guard reserve(8) else { return }
    let offset = written
    var bytes = unsafe storage.mutableBytes
    unsafe bytes.storeBytes(of: value.littleEndian, toUncheckedByteOffset: offset, as: UInt64.self)
    written &+= 8
  }

  /// Writes a byte, then a number, low byte first: both, or neither if they do not fit.
  @_lifetime(self: copy self) @inlinable @inline(__always)
  public mutating func write<Number: FixedWidthInteger & BitwiseCopyable>(
    _ first: UInt8, _ number: Number
  ) {
    let length = 1 &+ MemoryLayout<Number>.size
    guard reserve(length) else { return }
    unsafe storage[unchecked: written] = first
    let offset = written &+ 1
    var bytes = unsafe storage.mutableBytes
    unsafe bytes.storeBytes(of: number.littleEndian, toUncheckedByteOffset: offset, as: Number.self)
    written &+= length
  }

  /// Writes all of `bytes`, or none of them if they do not fit.
  @_lifetime(self: copy self) @inlinable @inline(__always) public mutating func write(
    _ bytes: Span<UInt8>
  ) {
    guard reserve(bytes.count) else { return }
    unsafe storage.copy(unchecked: bytes, at: count)
    written &+= bytes.count
  }

  /// Writes as many of the first bytes as fit, as ATT truncates a value. It never overflows.
  @_lifetime(self: copy self) @inlinable @inline(__always) public mutating func writePrefix(
    of bytes: Span<UInt8>
  ) {
    if bytes.count <= freeCapacity {
      write(bytes)
    } else {
      write(bytes.extracting(first: freeCapacity))
    }
  }

  /// Writes as much of `text` as fits, in UTF-8. It never overflows.
  @_lifetime(self: copy self) @inlinable @inline(__always) public mutating func writePrefix(
    of text: StaticString
  ) {
    guard text.hasPointerRepresentation else { return }
    let utf8 = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    unsafe writePrefix(of: utf8.span)
  }

  /// Replaces the byte at `offset`, such as a length; nothing outside of the written bytes.
  @_lifetime(self: copy self) @inlinable public mutating func patch(_ value: UInt8, at offset: Int)
  {
    guard offset >= 0, offset < count else { return }
    storage[offset] = value
  }

  /// Replaces two bytes at `offset`, low byte first, as `patch(_:at:)` replaces one.
  @_lifetime(self: copy self) @inlinable public mutating func patch(_ value: UInt16, at offset: Int)
  {
    patch(UInt8(truncatingIfNeeded: value), at: offset)
    patch(UInt8(truncatingIfNeeded: value >> 8), at: offset + 1)
  }

  /// Removes everything after the first `count` bytes, and resets an overflow.
  @_lifetime(self: copy self) @inlinable public mutating func truncate(to count: Int) {
    guard count >= 0, count <= self.count else { return }
    written = count
    overflowed = false
  }

  /// Writes a byte, a little-endian word and `bytes`, or nothing if they do not fit.
  @_lifetime(self: copy self) @inline(__always) mutating func write(
    _ byte: UInt8, _ word: UInt64, _ bytes: Span<UInt8>
  ) {
    guard reserve(bytes.count &+ 9) else { return }
    unsafe storage.store(byte, word, unchecked: bytes, at: written)
    written &+= bytes.count &+ 9
  }

  /// Writes a byte and a little-endian word, and counts `count` bytes after them; nothing if they
  /// do not fit.
  @_lifetime(self: copy self) @inline(__always) mutating func write(
    _ byte: UInt8, _ word: UInt64, before count: Int
  ) {
    guard reserve(count &+ 9) else { return }
    unsafe storage.store(byte, word, unchecked: Span(), at: written)
    written &+= count &+ 9
  }

  /// A writer of at most `limit` bytes that begins `offset` bytes later; its bytes do not count
  /// yet.
  @_lifetime(&self) @inline(__always) mutating func makeWriter(after offset: Int, limit: Int)
    -> ByteWriter
  {
    let start = min(written &+ offset, self.limit)
    let end = start &+ min(limit, self.limit &- start)
    // 0 ≤ start ≤ end ≤ self.limit.
    return unsafe ByteWriter(
      storage._mutatingExtracting(unchecked: Range(uncheckedBounds: (start, end))))
  }

  @inlinable mutating func reserve(_ length: Int) -> Bool {
    guard length <= freeCapacity else {
      overflowed = true
      return false
    }
    return true
  }
}
