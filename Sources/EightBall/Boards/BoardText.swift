import BluetoothHost

/// A text of at most `capacity` bytes, and at most 255, held in place.
///
/// The kernel has 32 bytes for a GPIO line's name and for a chip's label, including a final zero:
/// include/uapi/linux/gpio.h, GPIO_MAX_NAME_SIZE.
public struct BoardText<let capacity: Int>: Equatable, Sendable {
  private(set) var storage = InlineArray<capacity, UInt8>(repeating: 0)

  // A byte is enough for these capacities, and makes a text of 31 bytes 32 bytes large.
  private var length: UInt8 = 0

  /// The number of bytes, at most `capacity`.
  public var count: Int { Int(length) }

  /// An empty text.
  public init() {}

  /// `bytes`; `nil` if they do not fit.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count <= min(capacity, 255) else { return nil }
    for index in bytes.indices { storage[index] = bytes[index] }
    length = UInt8(truncatingIfNeeded: bytes.count)
  }

  /// The bytes that `body` writes; what does not fit is left out.
  public init(writing body: (inout ByteWriter) -> Void) {
    var writer = ByteWriter(storage.mutableSpan, limit: 255)
    body(&writer)
    length = UInt8(truncatingIfNeeded: writer.count)
  }

  /// Whether it has no bytes.
  public var isEmpty: Bool { count == 0 }

  /// The bytes.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(first: count) }
  }

  /// Whether both have the same bytes.
  public static func == (left: BoardText, right: BoardText) -> Bool {
    left.span.hasSameBytes(as: right.span)
  }
}

extension BoardText: ExpressibleByStringLiteral {
  /// A literal of the program. It is cut to `capacity` bytes.
  public init(stringLiteral text: StaticString) {
    self.init { $0.add(text) }
  }
}

/// The name of a line, such as "GPIO18".
public typealias LineName = BoardText<31>
/// The label of a GPIO chip, such as "pinctrl-bcm2711".
public typealias ChipLabel = BoardText<31>
/// The name of a board: a file's name without its ending.
public typealias BoardName = BoardText<255>
/// A radio as `--radio` takes it.
public typealias RadioText = BoardText<255>

extension Span<UInt8> {
  /// Whether it is a valid name for the kernel: 1 to `limit` printable ASCII characters, without
  /// quotes and backslashes.
  func isPlainName(upTo limit: Int) -> Bool {
    guard !isEmpty, count <= limit else { return false }
    for index in indices {
      let byte = self[index]
      let isPlain =
        byte >= 0x20 && byte <= 0x7E && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      guard isPlain else { return false }
    }
    return true
  }
}

extension ByteWriter {
  /// Writes as much of `text` as fits. Not inlined, unlike `writePrefix`.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func add(_ text: StaticString) {
    writePrefix(of: text)
  }

  /// Writes as much of `text` as fits, with `name` in place of each percent sign.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func add(_ text: StaticString, _ name: StaticString) {
    guard text.hasPointerRepresentation else { return }
    let bytes = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    var rest = unsafe bytes.span
    while let mark = rest.firstIndex(of: UInt8(ascii: "%")) {
      add(rest.extracting(first: mark))
      add(name)
      rest = rest.extracting(droppingFirst: mark + 1)
    }
    add(rest)
  }

  /// Writes as much of `text` as fits.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func add(_ text: Span<UInt8>) {
    writePrefix(of: text)
  }
}
