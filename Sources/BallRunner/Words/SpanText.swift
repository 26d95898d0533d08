import BluetoothHost

extension Span<UInt8> {
  /// Whether it begins with `text`.
  public func begins(with text: StaticString) -> Bool {
    guard text.hasPointerRepresentation, count >= text.utf8CodeUnitCount else { return false }
    let utf8 = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return unsafe extracting(first: utf8.count).hasSameBytes(as: utf8.span)
  }

  /// Whether it is `text`.
  public func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && begins(with: text)
  }
}
