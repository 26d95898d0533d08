// The small texts of a peripheral's file: lists, quoted text, hexadecimal digits, times.

/// What a field expects, to follow "expected".
struct Expected: Error, Equatable {
  let text: String

  init(_ text: String) { self.text = text }
}

/// `text` without blanks, and without the carriage returns of Windows, at both ends.
func trimmed(_ text: Substring) -> Substring {
  var utf8 = text.utf8
  while let first = utf8.first, first == 0x20 || first == 0x09 || first == 0x0D {
    utf8.removeFirst()
  }
  while let last = utf8.last, last == 0x20 || last == 0x09 || last == 0x0D { utf8.removeLast() }
  return Substring(utf8)
}

/// The parts of `text` between commas, or other separators, outside quotes, without blanks around them.
@inline(never)
func list(_ text: Substring, separator: UInt8 = UInt8(ascii: ",")) -> [Substring] {
  var parts: [Substring] = []
  var start = text.startIndex
  var isQuoted = false
  var isEscaped = false
  for index in text.utf8.indices {
    let byte = text.utf8[index]
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = isQuoted
    } else if byte == UInt8(ascii: "\"") {
      isQuoted.toggle()
    } else if !isQuoted, byte == separator || separator == 0x20 && byte == 0x09 {
      parts.append(trimmed(text[start..<index]))
      start = text.utf8.index(after: index)
    }
  }
  parts.append(trimmed(text[start...]))
  return parts
}

/// The words of `text`.
@inline(never)
func words(_ text: Substring) -> [Substring] {
  list(text, separator: UInt8(ascii: " ")).filter { !$0.isEmpty }
}

/// `text` in quotes. Control characters, quotes, backslashes and `#`, which may begin a comment, are bytes such as `\x23`.
@inline(never)
func quoted(_ text: String) -> String {
  var result: [UInt8] = [UInt8(ascii: "\"")]
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
    case UInt8(ascii: "#"), 0..<0x20, 0x7F: result += Array("\\x\(hexadecimalText([byte]))".utf8)
    default: result.append(byte)
    }
  }
  return String(decoding: result + [UInt8(ascii: "\"")], as: UTF8.self)
}

/// Reads text in quotes.
func unquoted(_ text: Substring) throws(Expected) -> String {
  let bytes = Array(text.utf8)
  var result: [UInt8] = []
  var index = 1
  while index < bytes.count - 1, bytes[index] != UInt8(ascii: "\"") {
    if bytes[index] == UInt8(ascii: "\\") {
      index += 1
      if bytes[index] == UInt8(ascii: "x") {
        let digits = String(decoding: bytes[(index + 1)...].prefix(2), as: UTF8.self)
        guard let byte = hexadecimalBytes(digits[...])?.first else {
          throw Expected("two hexadecimal digits after \\x, such as \\x23")
        }
        result.append(byte)
        index += 3
        continue
      }
    }
    result.append(bytes[index])
    index += 1
  }
  guard bytes.count > 1, bytes[0] == UInt8(ascii: "\""), index == bytes.count - 1,
    bytes[index] == UInt8(ascii: "\""),
    let text = String(validating: result, as: UTF8.self)
  else {
    throw Expected("text of UTF-8 in quotes, with \\\" for a quote, \\\\ for \\ and \\x23 for #")
  }
  return text
}

/// Two digits for each byte, and `separator` between the bytes.
@inline(never)
func hexadecimalText(_ bytes: [UInt8], separator: String = " ") -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var text: [UInt8] = []
  for byte in bytes {
    if !text.isEmpty { text += separator.utf8 }
    text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
  return String(decoding: text, as: UTF8.self)
}

/// Reads pairs of digits, with or without blanks between the bytes; `nil` for any other text.
func hexadecimalBytes(_ text: Substring) -> [UInt8]? {
  var bytes: [UInt8] = []
  for word in words(text) {
    let digits = Array(word.utf8)
    guard digits.count % 2 == 0 else { return nil }
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index].hexadecimalValue, let low = digits[index + 1].hexadecimalValue
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
  }
  return bytes
}

/// Reads digits alone; `nil` for any other text, or a number above `limit`.
@inline(never)
func digits(_ text: Substring, base: Int = 10, upTo limit: Int = .max) -> Int? {
  var number: Int?
  for byte in text.utf8 {
    let product = (number ?? 0).multipliedReportingOverflow(by: base)
    guard let digit = byte.hexadecimalValue, digit < base, !product.overflow,
      product.partialValue <= limit - Int(digit)
    else { return nil }
    number = product.partialValue + Int(digit)
  }
  return number
}

/// Reads a number in decimal, or in hexadecimal after `0x`; `nil` for any other text, or a number above `limit`.
@inline(never)
func number(_ text: Substring, upTo limit: Int) -> Int? {
  text.hasPrefix("0x")
    ? digits(text.dropFirst(2), base: 16, upTo: limit) : digits(text, upTo: limit)
}

/// The first word of `text`; empty without one.
@inline(never)
func firstWord(_ text: Substring) -> String { words(text).first.map { String($0) } ?? "" }

/// The parts of `text` between its commas.
///
/// - Parameter names: The words that may begin only one part.
/// - Throws: Which of them begins several.
func list(_ text: Substring, once names: [String]) throws(Expected) -> [Substring] {
  let parts = list(text)
  for name in names where parts.count(where: { firstWord($0) == name }) > 1 {
    throw Expected("\(name) once")
  }
  return parts
}

/// `0x000A`.
@inline(never)
func handleText(_ handle: UInt16) -> String {
  "0x" + hexadecimalText([UInt8(handle >> 8), UInt8(handle & 0xFF)], separator: "")
}

/// `0x0A`.
@inline(never)
func byteText(_ byte: UInt8) -> String { "0x" + hexadecimalText([byte]) }

/// Reads a time such as `1 s` or `200 ms`, from 1 ms to 1 h, in milliseconds.
@inline(never)
func milliseconds(_ text: Substring) throws(Expected) -> UInt32 {
  let joined = words(text).joined()
  guard joined.hasSuffix("s"), let time = TimeOption(joined, upTo: TimeOption.hour) else {
    throw Expected("a time such as 1 s or 200 ms, up to 1 hour")
  }
  return time.milliseconds
}

/// `1 s` or `200 ms`.
@inline(never)
func timeText(_ milliseconds: UInt32) -> String {
  TimeOption(milliseconds: milliseconds).description
}
