import BluetoothHost

/// A line of a ball's control socket: an object of JSON with texts, whole numbers and truth values.
/// Members of other kinds are passed over: a later ball may have any. docs/events.md; RFC 8259.
public struct ControlLine {
  /// The members that are texts.
  private var texts: [String: String] = [:]
  /// The members that are `true` or `false`.
  private var truths: [String: Bool] = [:]
  /// The members that are whole numbers, 0 or more.
  private var numbers: [String: UInt64] = [:]

  /// `nil` if `bytes` are not an object.
  public init?(_ bytes: [UInt8]) {
    var reader = JSONReader(bytes)
    guard reader.take("{") else { return nil }
    if reader.take("}") {
      guard reader.isAtEnd() else { return nil }
      return
    }
    repeat {
      guard let name = reader.text(), reader.take(":") else { return nil }
      if let text = reader.text() {
        texts[name] = text
      } else if let truth = reader.truth() {
        truths[name] = truth
      } else if let number = reader.number() {
        numbers[name] = number
      } else if !reader.skipValue() {
        return nil
      }
    } while reader.take(",")
    guard reader.take("}"), reader.isAtEnd() else { return nil }
  }

  /// What it is about; empty if it does not say.
  public var event: String { texts["event"] ?? "" }

  /// The member with this name; `nil` if there is none, or if it is not a text.
  public func text(_ name: String) -> String? { texts[name] }

  /// The member with this name; `nil` if there is none, or if it is neither `true` nor `false`.
  public func truth(_ name: String) -> Bool? { truths[name] }

  /// The member with this name; `nil` if there is none, or if it is not a whole number below 2⁶⁴.
  public func number(_ name: String) -> UInt64? { numbers[name] }
}

/// Reads the values of a JSON text, one after another.
private struct JSONReader {
  /// How deep arrays and objects may be nested.
  private static let deepest = 64

  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Takes a sign, after white space. `false` if another one is next.
  mutating func take(_ sign: Unicode.Scalar) -> Bool {
    skipSpace()
    guard index < bytes.count, bytes[index] == UInt8(ascii: sign) else { return false }
    index += 1
    return true
  }

  /// Whether nothing but white space is left.
  mutating func isAtEnd() -> Bool {
    skipSpace()
    return index == bytes.count
  }

  /// Takes a text; `nil` if another value is next, or if the text is malformed.
  mutating func text() -> String? {
    let start = index
    guard take("\"") else { return nil }
    var utf8: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: utf8, as: UTF8.self) else { break }
        return text
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { break }
        utf8 += Array(String(scalar).utf8)
        continue
      case 0x00..<0x20: break
      default:
        utf8.append(byte)
        continue
      }
      break
    }
    index = start
    return nil
  }

  /// Takes `true` or `false`; `nil` if another value is next.
  mutating func truth() -> Bool? {
    take(word: "true") ? true : take(word: "false") ? false : nil
  }

  /// Takes a whole number; `nil` if another value is next.
  mutating func number() -> UInt64? {
    skipSpace()
    let start = index
    guard skipNumber() else { return nil }
    if let number = bytes.span.extracting(start..<index).unsignedNumber(upTo: .max) {
      return number
    }
    index = start
    return nil
  }

  /// Passes over a value; `false` if it is malformed.
  mutating func skipValue(depth: Int = 0) -> Bool {
    guard depth < Self.deepest else { return false }
    if text() != nil || truth() != nil || take(word: "null") { return true }
    if take("[") {
      guard !take("]") else { return true }
      repeat { guard skipValue(depth: depth + 1) else { return false } } while take(",")
      return take("]")
    }
    if take("{") {
      guard !take("}") else { return true }
      repeat {
        guard text() != nil, take(":"), skipValue(depth: depth + 1) else { return false }
      } while take(",")
      return take("}")
    }
    return skipNumber()
  }

  private mutating func skipNumber() -> Bool {
    let start = index
    while index < bytes.count, "+-.0123456789Ee".utf8.contains(bytes[index]) { index += 1 }
    return index > start
  }

  private mutating func take(word: StaticString) -> Bool {
    skipSpace()
    guard bytes.span.extracting(index...).begins(with: word) else { return false }
    index += word.utf8CodeUnitCount
    return true
  }

  private mutating func skipSpace() {
    while index < bytes.count, " \t\r\n".utf8.contains(bytes[index]) { index += 1 }
  }

  /// Takes what follows a backslash.
  private mutating func escape() -> Unicode.Scalar? {
    guard index < bytes.count else { return nil }
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "u"): return escapedScalar()
    default: return nil
    }
  }

  /// A scalar in hexadecimal, above U+FFFF in two surrogates: RFC 8259, 7.
  private mutating func escapedScalar() -> Unicode.Scalar? {
    guard let first = unit() else { return nil }
    guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first) }
    guard take(word: "\\u"), let second = unit(), second & 0xFC00 == 0xDC00 else { return nil }
    return Unicode.Scalar(0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF))
  }

  private mutating func unit() -> UInt32? {
    guard index + 4 <= bytes.count,
      let text = String(validating: bytes[index..<index + 4], as: UTF8.self),
      text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
    else { return nil }
    index += 4
    return UInt32(text, radix: 16)
  }
}

/// Splits a stream of bytes into lines.
public struct LineBuffer {
  /// The longest line, in bytes without its end.
  public static let limit = 65_536

  private var bytes: [UInt8] = []
  private var start = 0

  /// No bytes.
  public init() {}

  /// Adds bytes that were read.
  public mutating func append(_ read: Span<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    for index in read.indices { bytes.append(read[index]) }
  }

  /// Takes the next whole line, without its end; `nil` if there is none.
  public mutating func next() -> [UInt8]? {
    guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { start = end + 1 }
    return Array(bytes[start..<end])
  }

  /// Whether the unfinished or the next line is too long.
  public var isTooLong: Bool {
    let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    return end - start > Self.limit
  }
}
