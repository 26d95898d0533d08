extension Span<UInt8> {
  /// Whether it is UTF-8 without overlong forms, surrogates or truncation: The Unicode Standard,
  /// table 3-7.
  @inlinable public var isValidUTF8: Bool {
    @inline(__always) get { isASCIIByWords || isValidUTF8ByCharacter }
  }

  /// Whether it has at least eight bytes, all of them ASCII, as most questions do.
  @inlinable var isASCIIByWords: Bool {
    @inline(__always) get {
      let last = count &- 8
      guard last >= 0 else { return false }
      var position = 0
      while position < last {
        guard unsafe !hasHighBit(inWordAt: position) else { return false }
        position &+= 8
      }
      // The last word may overlap the one before.
      return unsafe !hasHighBit(inWordAt: last)
    }
  }

  /// Whether one of the eight bytes from `position`, which exist, is not ASCII.
  @unsafe @inlinable @inline(__always) func hasHighBit(inWordAt position: Int) -> Bool {
    let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
    return word & 0x8080_8080_8080_8080 != 0
  }

  /// How many bytes from `position` on are printable ASCII, in words of eight; 0 if negative.
  public func plainASCIIByWords(from position: Int) -> Int {
    guard position >= 0 else { return 0 }
    var end = position
    while count &- end >= 8 {
      let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: end, as: UInt64.self)
      // A byte below a space borrows, which sets its high bit; the addition makes 0x80 of 0x7F.
      // Other ASCII bytes do neither, and the lowest such byte is always found.
      let marks = (word &- 0x2020_2020_2020_2020) | (word &+ 0x0101_0101_0101_0101) | word
      guard marks & 0x8080_8080_8080_8080 == 0 else { break }
      end &+= 8
    }
    return end &- position
  }

  @usableFromInline var isValidUTF8ByCharacter: Bool {
    var reader = ByteReader(self)
    while let lead = reader.readASCIIRun() {
      guard reader.skipUTF8Tail(after: lead) else { return false }
    }
    return true
  }

  /// The longest prefix of at most `byteCount` bytes that is UTF-8, cut between two characters.
  @_lifetime(copy self) package func prefixOfUTF8(_ byteCount: Int) -> Span<UInt8> {
    var length = Swift.min(count, byteCount)
    while length > 0, !extracting(first: length).isValidUTF8 { length -= 1 }
    return extracting(first: length)
  }
}

extension ByteReader {
  /// Reads up to the next byte that is not ASCII, and returns it; `nil` if there is none.
  fileprivate mutating func readASCIIRun() -> UInt8? {
    skipWords(without: 0x8080_8080_8080_8080)
    while let byte = readUInt8() { if byte >= 0x80 { return byte } }
    return nil
  }

  /// Reads the bytes that must follow `lead`; `false` if they are invalid.
  fileprivate mutating func skipUTF8Tail(after lead: UInt8) -> Bool {
    switch lead {
    case 0xC2...0xDF: readByte(in: 0x80...0xBF)
    case 0xE0: readByte(in: 0xA0...0xBF) && readByte(in: 0x80...0xBF)
    case 0xED: readByte(in: 0x80...0x9F) && readByte(in: 0x80...0xBF)
    case 0xE1...0xEF: readByte(in: 0x80...0xBF) && readByte(in: 0x80...0xBF)
    case 0xF0: readByte(in: 0x90...0xBF) && readByte(in: 0x80...0xBF) && readByte(in: 0x80...0xBF)
    case 0xF1...0xF3:
      readByte(in: 0x80...0xBF) && readByte(in: 0x80...0xBF) && readByte(in: 0x80...0xBF)
    case 0xF4: readByte(in: 0x80...0x8F) && readByte(in: 0x80...0xBF) && readByte(in: 0x80...0xBF)
    default: false
    }
  }

  private mutating func readByte(in range: ClosedRange<UInt8>) -> Bool {
    guard let byte = readUInt8() else { return false }
    return range.contains(byte)
  }
}

extension ByteWriter {
  /// Writes all of `text` in UTF-8, or nothing if it does not fit.
  @_lifetime(self: copy self) @inline(never) public mutating func write(text: StaticString) {
    guard text.hasPointerRepresentation else { return }
    let utf8 = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    unsafe write(utf8.span)
  }

  /// Writes a byte as two hexadecimal digits.
  @_lifetime(self: copy self) public mutating func write(hexadecimal byte: UInt8) {
    write(Self.hexadecimalDigit(byte &>> 4))
    write(Self.hexadecimalDigit(byte & 0xF))
  }

  /// Writes a number as four hexadecimal digits.
  @_lifetime(self: copy self) public mutating func write(hexadecimal number: UInt16) {
    write(hexadecimal: UInt8(truncatingIfNeeded: number &>> 8))
    write(hexadecimal: UInt8(truncatingIfNeeded: number))
  }

  /// Writes an integer in decimal.
  @_lifetime(self: copy self) @inline(never) public mutating func write(decimal number: Int) {
    if number < 0 { write(UInt8(ascii: "-")) }
    write(digitsOf: number.magnitude)
  }

  /// Writes the decimal digits of a number.
  @_lifetime(self: copy self) @inline(never) public mutating func write(digitsOf number: UInt) {
    // The last digit comes first; 64 bits take at most 20.
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var count = 0
    var rest = number
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

  /// Writes a number of at most 999,999 in six digits, as devices show a pairing number. Core
  /// Specification, Vol 3, Part H, 2.3.5.1.
  @_lifetime(self: copy self) public mutating func write(sixDigits number: UInt32) {
    var scale: UInt32 = 100_000
    while scale > 0 {
      write(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / scale % 10))
      scale /= 10
    }
  }

  /// Writes an address in its text form: `F0:00:00:00:00:01`.
  @_lifetime(self: copy self) @inline(never) public mutating func write(_ address: DeviceAddress) {
    let bytes = address.bytes
    var index = bytes.count
    while index > 0 {
      index &-= 1
      write(hexadecimal: bytes[index])
      if index > 0 { write(UInt8(ascii: ":")) }
    }
  }

  /// Writes a text of unknown origin: its first 60 characters, with U+FFFD for each control
  /// character and for each byte that is not UTF-8, and an ellipsis if there are more.
  @_lifetime(self: copy self)
  package mutating func writeShown(_ text: Span<UInt8>) {
    var position = 0
    var characters = 0
    while position < text.count {
      guard characters < 60 else { return writePrefix(of: "…") }
      let lead = text[position]
      let length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      let end = min(position &+ length, text.count)
      let character = text.extracting(position..<end)
      if character.isValidUTF8 {
        character.isControl ? writePrefix(of: "\u{FFFD}") : writePrefix(of: character)
        position = end
      } else {
        writePrefix(of: "\u{FFFD}")
        position &+= 1
      }
      characters &+= 1
    }
  }

  private static func hexadecimalDigit(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "A") &+ digit &- 10
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit in ASCII; `nil` for another character.
  public var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }
}

extension Span<UInt8> {
  /// Whether this character is a control character: U+0000 to U+001F, U+007F to U+009F.
  fileprivate var isControl: Bool {
    let first = self[0]
    return first < 0x20 || first == 0x7F || first == 0xC2 && self[1] < 0xA0
  }

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
