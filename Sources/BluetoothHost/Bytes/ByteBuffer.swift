/// Up to `capacity` bytes held in place: a bounded, never-allocating stand-in for an array.
public struct ByteBuffer<let capacity: Int>: ~Copyable {
  private var storage = InlineArray<capacity, UInt8>(repeating: 0)
  private let pin = Pinned()

  /// The number of bytes held, at most `capacity`.
  public private(set) var count = 0

  /// An empty buffer.
  public init() {}

  /// Whether it holds nothing.
  public var isEmpty: Bool { count == 0 }

  /// The number of bytes that still fit.
  public var freeCapacity: Int { capacity - count }

  /// The bytes held.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(0..<count) }
  }

  /// Forgets everything.
  public mutating func removeAll() {
    count = 0
  }

  /// Forgets everything, and overwrites it in memory, such as keys.
  public mutating func wipe() {
    overwrite(&storage, with: InlineArray(repeating: 0))
    count = 0
  }

  /// Adds all of `bytes`; `false`, and nothing changes, if they do not fit.
  public mutating func append(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= capacity - count else { return false }
    var target = storage.mutableSpan
    target.copy(bytes, at: count)
    count += bytes.count
    return true
  }

  /// Holds `bytes` and nothing else; `false`, and nothing changes, if they do not fit.
  public mutating func assign(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= capacity else { return false }
    var target = storage.mutableSpan
    target.copy(bytes, at: 0)
    count = bytes.count
    return true
  }

  /// Puts `bytes` at `offset`, over what is there, and makes the buffer longer where needed;
  /// `false`, and nothing changes, if that leaves a gap or does not fit.
  mutating func replace(from offset: Int, with bytes: Span<UInt8>) -> Bool {
    guard offset >= 0, offset <= count, bytes.count <= capacity - offset else { return false }
    var target = storage.mutableSpan
    target.copy(bytes, at: offset)
    count = max(count, offset + bytes.count)
    return true
  }

  /// Adds `amount` to the two-byte number at `offset`, the low byte first; nothing happens outside
  /// of what is held.
  mutating func adjust(by amount: Int, at offset: Int) {
    guard offset >= 0, offset + 2 <= count else { return }
    let old = UInt16(storage[offset]) | UInt16(storage[offset + 1]) << 8
    let new = UInt16(truncatingIfNeeded: Int(old) + amount)
    storage[offset] = UInt8(truncatingIfNeeded: new)
    storage[offset + 1] = UInt8(truncatingIfNeeded: new >> 8)
  }

  /// A writer of what follows the bytes held, up to the last `reserve` bytes of the storage.
  /// `keepWritten` follows.
  @_lifetime(&self)
  public mutating func makeAppendingWriter(sparing reserve: Int = 0) -> ByteWriter {
    let offset = count
    return ByteWriter(
      storage.mutableSpan._consumingExtracting(offset...), limit: capacity &- offset &- reserve)
  }

  /// Forgets the first `length` bytes, or all if it holds fewer.
  public mutating func removeFirst(_ length: Int) {
    guard length < count else { return removeAll() }
    guard length > 0 else { return }
    count &-= length
    var target = storage.mutableSpan
    target.moveToFront(count, from: length)
  }

  /// All of its storage, to be filled from the front. `keepWritten` follows.
  var space: MutableSpan<UInt8> {
    @_lifetime(&self)
    mutating get { storage.mutableSpan }
  }

  /// A writer of what the buffer shall hold, at most `limit` bytes. `keepWritten` follows.
  @_lifetime(&self)
  mutating func makeWriter(limit: Int = capacity) -> ByteWriter {
    ByteWriter(storage.mutableSpan, limit: limit)
  }

  /// The buffer holds the first `count` bytes that its writer wrote, and those before them.
  public mutating func keepWritten(_ count: Int) {
    self.count = max(0, min(count, capacity))
  }

  /// Replaces what is held by what `body` writes, at most `limit` bytes of it. An overflow leaves
  /// what was written before it.
  public mutating func write(limit: Int = capacity, _ body: (inout ByteWriter) -> Void) {
    var writer = ByteWriter(storage.mutableSpan, limit: limit)
    body(&writer)
    count = writer.count
  }
}
