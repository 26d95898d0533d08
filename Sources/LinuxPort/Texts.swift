import BluetoothHost

extension Span<UInt8> {
  /// Where the first of these bytes is; `nil` if there is none.
  func position(of byte: UInt8) -> Int? {
    for index in indices where self[index] == byte { return index }
    return nil
  }

  /// Where the last of these bytes is; `nil` if there is none.
  func lastPosition(of byte: UInt8) -> Int? {
    var index = count &- 1
    while index >= 0 {
      if self[index] == byte { return index }
      index &-= 1
    }
    return nil
  }

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

  /// Where `text` begins in it for the first time; `nil` if it does nowhere.
  func position(of text: StaticString) -> Int? {
    for index in indices where extracting(droppingFirst: index).begins(with: text) { return index }
    return nil
  }

  /// The number that it is in decimal digits and nothing else, at most `limit`; `nil` if it is none.
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

extension ByteWriter {
  /// Writes a number in decimal digits.
  @_lifetime(self: copy self)
  mutating func writeNumber(_ number: UInt32) {
    var divisor: UInt32 = 1_000_000_000
    while divisor > 1, number < divisor { divisor /= 10 }
    while divisor > 0 {
      if freeCapacity > 0 {
        write(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / divisor % 10))
      }
      divisor /= 10
    }
  }

  /// Writes a text of C, as much as fits.
  @_lifetime(self: copy self)
  mutating func writePrefix(ofC text: UnsafePointer<CChar>?) {
    guard let text = unsafe text else { return }
    unsafe writePrefix(of: cSpan(of: text))
  }
}

/// The bytes of a text of C that lives as long as the program: of an argument, of the environment, or
/// of the C library.
@_lifetime(immortal)
public func cSpan(of text: UnsafePointer<CChar>) -> Span<UInt8> {
  var count = 0
  while unsafe text[count] != 0 { count &+= 1 }
  let bytes = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
  let span = unsafe Span(_unsafeStart: bytes, count: count)
  return unsafe _overrideLifetime(span, copying: ())
}
