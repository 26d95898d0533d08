/// Reads a JSON text from its bytes. Returns `nil` for wrong bytes.
struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The value of the whole text.
  mutating func readWhole() -> JSONValue? {
    guard let value = readValue(depth: 8) else { return nil }
    skipSpace()
    return position == bytes.count ? value : nil
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    return takeExactly(character)
  }

  private mutating func takeExactly(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func readValue(depth: Int) -> JSONValue? {
    skipSpace()
    guard depth > 0, let first = next else { return nil }
    switch first {
    case UInt8(ascii: "{"): return readObject(depth: depth)
    case UInt8(ascii: "["): return readArray(depth: depth)
    case UInt8(ascii: "\""): return readText().map { .text($0) }
    case UInt8(ascii: "t"): return readWord("true", .truth(true))
    case UInt8(ascii: "f"): return readWord("false", .truth(false))
    case UInt8(ascii: "n"): return readWord("null", .null)
    default: return readNumber()
    }
  }

  private mutating func readObject(depth: Int) -> JSONValue? {
    position += 1
    var members: [String: JSONValue] = [:]
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let name = readText(), take(":"), let value = readValue(depth: depth - 1) else {
        return nil
      }
      members[name] = value
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func readArray(depth: Int) -> JSONValue? {
    position += 1
    var values: [JSONValue] = []
    if take("]") { return .array(values) }
    repeat {
      guard let value = readValue(depth: depth - 1) else { return nil }
      values.append(value)
    } while take(",")
    return take("]") ? .array(values) : nil
  }

  private mutating func readWord(_ word: String, _ value: JSONValue) -> JSONValue? {
    let end = position + word.utf8.count
    guard end <= bytes.count, bytes[position..<end].elementsEqual(word.utf8) else { return nil }
    position = end
    return value
  }

  private mutating func readNumber() -> JSONValue? {
    let start = position
    while let byte = next, byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) {
      position += 1
    }
    return Int(String(decoding: bytes[start..<position], as: UTF8.self)).map { .number($0) }
  }

  private mutating func readText() -> String? {
    guard take("\"") else { return nil }
    var units: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        return String(validating: units, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = readEscape() else { return nil }
        units += Array(String(scalar).utf8)
      case 0..<0x20: return nil
      default: units.append(byte)
      }
    }
    return nil
  }

  private static let escapes: [UInt8: Unicode.Scalar] = [
    0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r",
    0x74: "\t",
  ]

  /// The scalar after a backslash. A pair of surrogates is one scalar; a single one is wrong.
  private mutating func readEscape() -> Unicode.Scalar? {
    guard let kind = next else { return nil }
    position += 1
    guard kind == UInt8(ascii: "u") else { return Self.escapes[kind] }
    guard let unit = readFourDigits() else { return nil }
    guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
    guard takeExactly("\\"), takeExactly("u"), let low = readFourDigits(),
      (0xDC00..<0xE000).contains(low)
    else {
      return nil
    }
    return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
  }

  private mutating func readFourDigits() -> UInt32? {
    guard position + 4 <= bytes.count else { return nil }
    let digits = bytes[position..<position + 4]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    position += 4
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
