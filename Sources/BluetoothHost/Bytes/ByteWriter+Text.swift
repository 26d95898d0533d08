extension ByteWriter {
  /// Writes all of `text` in UTF-8, or nothing if it does not fit.
  @_lifetime(self: copy self)
  @inline(never)
  public mutating func write(text: StaticString) {
    guard text.hasPointerRepresentation else { return }
    let utf8 = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    unsafe write(utf8.span)
  }

  /// Writes a byte as two hexadecimal digits.
  @_lifetime(self: copy self)
  public mutating func write(hexadecimal byte: UInt8) {
    write(Self.hexadecimalDigit(byte &>> 4))
    write(Self.hexadecimalDigit(byte & 0xF))
  }

  /// Writes a number as four hexadecimal digits.
  @_lifetime(self: copy self)
  public mutating func write(hexadecimal number: UInt16) {
    write(hexadecimal: UInt8(truncatingIfNeeded: number &>> 8))
    write(hexadecimal: UInt8(truncatingIfNeeded: number))
  }

  /// Writes an integer in decimal.
  @_lifetime(self: copy self)
  @inline(never)
  public mutating func write(decimal number: Int) {
    if number < 0 { write(UInt8(ascii: "-")) }
    // The last digit comes first; 64 bits take at most 20.
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var count = 0
    var rest = number.magnitude
    repeat {
      digits[count] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      count &+= 1
    } while rest > 0
    while count > 0 {
      count &-= 1
      write(digits[count])
    }
  }

  /// Writes an address in its text form: `F0:00:00:00:00:01`.
  @_lifetime(self: copy self)
  @inline(never)
  public mutating func write(_ address: DeviceAddress) {
    let bytes = address.bytes
    var index = bytes.count
    while index > 0 {
      index &-= 1
      write(hexadecimal: bytes[index])
      if index > 0 { write(UInt8(ascii: ":")) }
    }
  }

  private static func hexadecimalDigit(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "A") &+ digit &- 10
  }
}
