import BluetoothHost

/// A C string of at most `capacity` - 1 bytes and a zero, held in place.
public struct InlineCString<let capacity: Int>: Equatable, Sendable {
  private var storage = InlineArray<capacity, UInt8>(repeating: 0)

  /// The number of bytes, without the zero.
  public private(set) var count = 0

  /// An empty text.
  public init() {}

  /// Becomes `bytes`; `false`, and nothing changes, if they do not fit or contain a zero.
  public mutating func assign(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count < capacity, bytes.firstIndex(of: 0) == nil else { return false }
    for index in bytes.indices { storage[index] = bytes[index] }
    storage[bytes.count] = 0
    count = bytes.count
    return true
  }

  /// Whether both have the same bytes.
  public static func == (one: borrowing InlineCString, other: borrowing InlineCString) -> Bool {
    guard one.count == other.count else { return false }
    for index in one.span.indices where one.span[index] != other.span[index] { return false }
    return true
  }

  /// The bytes, without the zero.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(first: count) }
  }

  /// Calls `body` with the text, which is valid during the call.
  package borrowing func withPointer<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    unsafe storage.span.withUnsafeBytes { bytes in
      unsafe body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
    }
  }
}
