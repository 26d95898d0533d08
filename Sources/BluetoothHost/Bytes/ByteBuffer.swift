/// Up to `capacity` bytes in place: a bounded array without allocation.
public struct ByteBuffer<let capacity: Int>: ~Copyable {
  private var storage = InlineArray<capacity, UInt8>(repeating: 0)
  private let pin = Pinned()

  /// The number of bytes, at most `capacity`.
  public private(set) var count = 0

  /// Creates an empty buffer.
  public init() {}

  /// Whether it has no bytes.
  public var isEmpty: Bool { count == 0 }

  /// The number of bytes that still fit.
  public var freeCapacity: Int { capacity - count }

  /// The bytes.
  public var span: Span<UInt8> {
    @_lifetime(borrow self) borrowing get { storage.span.extracting(0..<count) }
  }

  /// Removes all bytes.
  public mutating func removeAll() { count = 0 }

  /// Removes all bytes, and overwrites their storage, for example keys.
  public mutating func wipe() {
    overwrite(&storage, with: InlineArray(repeating: 0))
    count = 0
  }

  /// Appends all of `bytes`; `false`, without a change, if they do not fit.
  public mutating func append(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= capacity - count else { return false }
    var target = storage.mutableSpan
    target.copy(bytes, at: count)
    count += bytes.count
    return true
  }

  /// Replaces the content with `bytes`; `false`, without a change, if they do not fit.
  public mutating func assign(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= capacity else { return false }
    var target = storage.mutableSpan
    target.copy(bytes, at: 0)
    count = bytes.count
    return true
  }

  /// Writes `bytes` at `offset`, over others and beyond; `false` if that leaves a gap or does not
  /// fit.
  mutating func replace(from offset: Int, with bytes: Span<UInt8>) -> Bool {
    guard offset >= 0, offset <= count, bytes.count <= capacity - offset else { return false }
    var target = storage.mutableSpan
    target.copy(bytes, at: offset)
    count = max(count, offset + bytes.count)
    return true
  }

  /// Adds `amount` to the little-endian number at `offset`; nothing outside of the content.
  mutating func adjust(by amount: Int, at offset: Int) {
    guard offset >= 0, offset + 2 <= count else { return }
    let old = UInt16(storage[offset]) | UInt16(storage[offset + 1]) << 8
    let new = UInt16(truncatingIfNeeded: Int(old) + amount)
    storage[offset] = UInt8(truncatingIfNeeded: new)
    storage[offset + 1] = UInt8(truncatingIfNeeded: new >> 8)
  }

  /// A writer that appends, but not to the last `reserve` bytes. Call `keepWritten` after it.
  @_lifetime(&self) public mutating func makeAppendingWriter(sparing reserve: Int = 0) -> ByteWriter
  {
    let offset = count
    return ByteWriter(
      storage.mutableSpan._consumingExtracting(offset...), limit: capacity &- offset &- reserve)
  }

  /// Removes the first `length` bytes, or all if there are fewer.
  public mutating func removeFirst(_ length: Int) {
    guard length < count else { return removeAll() }
    guard length > 0 else { return }
    count &-= length
    var target = storage.mutableSpan
    target.moveToFront(count, from: length)
  }

  /// Its storage, to be filled from the front. Call `keepWritten` after that.
  var space: MutableSpan<UInt8> { @_lifetime(&self) mutating get { storage.mutableSpan } }

  /// A writer that replaces the content, at most `limit` bytes. Call `keepWritten` after it.
  @_lifetime(&self) mutating func makeWriter(limit: Int = capacity) -> ByteWriter {
    ByteWriter(storage.mutableSpan, limit: limit)
  }

  /// Sets the content to the first `count` bytes of the storage.
  public mutating func keepWritten(_ count: Int) { self.count = max(0, min(count, capacity)) }

  /// Replaces the content with what `body` writes; after an overflow its beginning remains.
  public mutating func write(limit: Int = capacity, _ body: (inout ByteWriter) -> Void) {
    var writer = ByteWriter(storage.mutableSpan, limit: limit)
    body(&writer)
    count = writer.count
  }
}
