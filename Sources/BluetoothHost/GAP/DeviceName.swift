/// A device's name: 1 to 29 bytes of UTF-8, so that it fits a scan response.
///
/// Core Specification, Vol 3, Part C, 12.1, allows a longer GAP Device Name. That would differ
/// from the truncated name in the advertising, and some centrals then keep showing one of the two.
public struct DeviceName: Sendable {
  /// The longest name, in bytes: 31 of a scan response, less its length and type.
  public static let capacity = 29

  private var storage = InlineArray<29, UInt8>(repeating: 0)

  /// The number of bytes, 1 to 29.
  public private(set) var count = 0

  /// `nil` if `utf8` is empty, is longer than 29 bytes, or is not UTF-8.
  public init?(_ utf8: Span<UInt8>) {
    guard !utf8.isEmpty, utf8.count <= Self.capacity, utf8.isValidUTF8 else { return nil }
    var target = storage.mutableSpan
    target.copy(utf8, at: 0)
    count = utf8.count
  }

  /// The first characters of `utf8` that fit in 29 bytes; `nil` if there are none, or it does not
  /// begin with UTF-8.
  public init?(prefixOf utf8: Span<UInt8>) {
    self.init(utf8.prefixOfUTF8(Self.capacity))
  }

  /// Creates a name from a constant of the program; a longer one is cut after the last character
  /// that fits in 29 bytes.
  public init(_ text: StaticText) {
    var writer = ByteWriter(storage.mutableSpan)
    text.writePrefix(to: &writer)
    count = writer.count
    count = span.prefixOfUTF8(count).count
  }

  /// The bytes, in UTF-8.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(first: count) }
  }
}
