/// Up to `capacity` bytes held in place: a bounded, never-allocating stand-in for an array.
public struct ByteBuffer<let capacity: Int>: ~Copyable {
  private var storage = InlineArray<capacity, UInt8>(repeating: 0)

  /// The number of bytes held, at most `capacity`.
  public private(set) var count = 0

  /// An empty buffer.
  public init() {}

  /// Whether it holds nothing.
  public var isEmpty: Bool { count == 0 }

  /// The bytes held.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(0..<count) }
  }

  /// Forgets everything.
  public mutating func removeAll() {
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
    count = 0
    return append(bytes)
  }

  /// Replaces what is held by what `body` writes. An overflow leaves what was written before it.
  public mutating func write(_ body: (inout ByteWriter) -> Void) {
    var writer = ByteWriter(storage.mutableSpan)
    body(&writer)
    count = writer.count
  }
}
