extension Span<UInt8> {
  /// Whether it is `text` in UTF-8.
  public func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && begins(with: text)
  }

  /// Whether it begins with `text` in UTF-8.
  public func begins(with text: StaticString) -> Bool {
    guard text.hasPointerRepresentation, count >= text.utf8CodeUnitCount else { return false }
    let utf8 = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return unsafe extracting(first: utf8.count).hasSameBytes(as: utf8.span)
  }

  /// The index of the first such byte; `nil` if there is none.
  public func firstIndex(of byte: UInt8) -> Int? {
    for index in indices where self[index] == byte { return index }
    return nil
  }

  /// The value of a decimal number of at most `limit`; `nil` for any other text.
  public func unsignedNumber(upTo limit: UInt64) -> UInt64? {
    guard !isEmpty else { return nil }
    var number: UInt64 = 0
    for index in indices {
      let byte = self[index]
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let digit = UInt64(widening: UInt32(byte &- UInt8(ascii: "0")))
      let (product, isTooLong) = number.multipliedReportingOverflow(by: 10)
      let (sum, isTooLarge) = product.addingReportingOverflow(digit)
      guard !isTooLong, !isTooLarge, sum <= limit else { return nil }
      number = sum
    }
    return number
  }
}
