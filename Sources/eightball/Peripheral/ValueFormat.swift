/// A number as people write it: `mantissa` times 10 to the power of `exponent`, exactly.
struct DecimalNumber: Equatable, Sendable {
  let mantissa: Int
  /// From -9 to 0. There are no more decimals than the number needs.
  let exponent: Int

  init(_ mantissa: Int, exponent: Int = 0) {
    var mantissa = mantissa
    var exponent = exponent
    while exponent < 0, mantissa % 10 == 0 {
      mantissa /= 10
      exponent += 1
    }
    self.mantissa = mantissa
    self.exponent = exponent
  }

  /// The numbers that `init(_:)` reads, to follow "expected".
  static let expected = "a number from \(Int.min) to \(Int.max) with at most 9 decimals"

  /// Reads `72`, `-0.5` or `0x48`: digits that an `Int` holds, at most 9 of them decimals.
  init?(_ text: Substring) {
    if text.hasPrefix("0x") {
      guard let number = number(text, upTo: Int(Int32.max)) else { return nil }
      self.init(number)
      return
    }
    let isNegative = text.hasPrefix("-")
    let text = isNegative ? text.dropFirst() : text
    let parts = list(text, separator: UInt8(ascii: "."))
    let decimals = parts.count == 2 ? parts[1].utf8.count : 0
    guard parts.count <= 2, !parts[0].isEmpty, parts.count == 1 || (1...9).contains(decimals),
      words(text).count == 1,
      // A negative number has one more.
      let mantissa = isNegative ? Int("-" + parts.joined()) : digits(parts.joined()[...])
    else { return nil }
    self.init(mantissa, exponent: -decimals)
  }

  /// The number as `init(_:)` reads it.
  var text: String {
    guard exponent < 0 else { return "\(mantissa)" }
    let digits = "\(mantissa.magnitude)"
    let missing = max(0, 1 - exponent - digits.utf8.count)
    let padded = String(repeating: "0", count: missing) + digits
    return (mantissa < 0 ? "-" : "") + padded.dropLast(-exponent) + "." + padded.suffix(-exponent)
  }

  /// How many times it contains 10 to the power of `exponent`; `nil` if that is no whole number, or too large.
  func count(of exponent: Int) -> Int? {
    var count = mantissa
    var position = self.exponent
    while position > exponent {
      let product = count.multipliedReportingOverflow(by: 10)
      guard !product.overflow else { return nil }
      count = product.partialValue
      position -= 1
    }
    while position < exponent {
      guard count % 10 == 0 else { return nil }
      count /= 10
      position += 1
    }
    return count
  }
}

/// How a number becomes bytes, by the names of the GATT Specification Supplement, 2: `uint8` to `uint64`, `sint8` to
/// `sint64`, `medfloat16` and `medfloat32`.
///
/// An integer may have an exponent, as in Characteristic Presentation Format: `sint16e-2 21.5` has the bytes of 2150.
struct NumberFormat: Equatable, Sendable {
  enum Kind: Equatable {
    case unsigned, signed
    /// A decimal mantissa and a decimal exponent: IEEE 11073-20601.
    case medical
  }

  let kind: Kind
  let byteCount: Int
  /// The unit of an integer is 10 to the power of this number, -9 to 0.
  let exponent: Int

  /// The format of this name; `nil` if there is none.
  init?(_ name: Substring) {
    let mark = name.lastIndex(of: "-")
    let base = mark.map { name[..<$0].dropLast() } ?? name
    let kinds: [(String, Kind, ClosedRange<Int>)] = [
      ("uint", .unsigned, 1...8), ("sint", .signed, 1...8), ("medfloat", .medical, 2...4),
      ("float", .medical, 2...2),
    ]
    guard let (prefix, kind, sizes) = kinds.first(where: { base.hasPrefix($0.0) }),
      let bits = digits(base.dropFirst(prefix.utf8.count), upTo: 64), bits % 8 == 0,
      sizes.contains(bits / 8),
      kind != .medical || bits != 24
    else { return nil }
    self.kind = kind
    byteCount = bits / 8
    guard let mark else {
      exponent = 0
      return
    }
    guard kind != .medical, name[..<mark].last == "e",
      let decimals = digits(name[name.index(after: mark)...], upTo: 9), decimals > 0
    else { return nil }
    exponent = -decimals
  }

  /// Its name in a file.
  var name: String {
    let base =
      switch kind {
      case .unsigned: "uint"
      case .signed: "sint"
      case .medical: "medfloat"
      }
    return "\(base)\(byteCount * 8)" + (exponent < 0 ? "e\(exponent)" : "")
  }

  /// The numbers that it holds, to follow "expected".
  var expected: String {
    guard kind != .medical else {
      return byteCount == 2
        ? "a number of at most 3 digits and 8 decimals" : "a number of at most 6 digits"
    }
    let (least, greatest) = limits
    let unit = DecimalNumber(1, exponent: exponent).text
    return "a\(exponent == 0 ? " whole number" : " multiple of \(unit)") from "
      + DecimalNumber(least, exponent: exponent).text + " to "
      + DecimalNumber(greatest, exponent: exponent).text
  }

  /// The least and the greatest integer.
  private var limits: (Int, Int) {
    let bits = kind == .unsigned ? byteCount * 8 : byteCount * 8 - 1
    let greatest = bits >= 63 ? Int.max : 1 << bits - 1
    return (kind == .unsigned ? 0 : -greatest - 1, greatest)
  }

  /// The bytes of a number, least significant first; `nil` if the format does not hold it.
  func encode(_ number: DecimalNumber) -> [UInt8]? {
    if kind == .medical { return encodeMedical(number) }
    let (least, greatest) = limits
    guard let count = number.count(of: exponent), count >= least, count <= greatest else {
      return nil
    }
    return bytes(count)
  }

  /// IEEE 11073-20601: a mantissa of 12 or 24 bits, whose highest values have other meanings, and an exponent of 4 or
  /// 8 bits above it.
  private func encodeMedical(_ number: DecimalNumber) -> [UInt8]? {
    let bits = byteCount == 2 ? 12 : 24
    let (lowest, highest) = byteCount == 2 ? (-8, 7) : (-128, 127)
    var mantissa = number.mantissa
    var exponent = number.exponent
    while mantissa.magnitude > mostMantissa, mantissa % 10 == 0 {
      mantissa /= 10
      exponent += 1
    }
    guard mantissa.magnitude <= mostMantissa, exponent >= lowest, exponent <= highest else {
      return nil
    }
    return bytes(mantissa & (1 << bits - 1) | exponent << bits)
  }

  /// The greatest mantissa of a medical number.
  private var mostMantissa: Int { byteCount == 2 ? 2_045 : 8_388_605 }

  /// The last decimal place of `numbers`, and the greatest of them, if the format does not hold each multiple of that
  /// place up to it; `nil` if it holds all.
  func excess(among numbers: [DecimalNumber]) -> (unit: DecimalNumber, greatest: DecimalNumber)? {
    guard kind == .medical, var (counts, exponent) = Timeline.Course.places(numbers) else {
      return nil
    }
    while counts.contains(where: { $0 != 0 }), counts.allSatisfy({ $0 % 10 == 0 }) {
      counts = counts.map { $0 / 10 }
      exponent += 1
    }
    let greatest = counts.map(abs).max() ?? 0
    guard greatest > mostMantissa else { return nil }
    return (DecimalNumber(1, exponent: exponent), DecimalNumber(greatest, exponent: exponent))
  }

  private func bytes(_ number: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

/// A part of a value: text, bytes, or a number.
enum ValueField: Sendable {
  case text(String)
  case bytes([UInt8])
  /// A number that the format holds.
  case number(DecimalNumber, NumberFormat)

  /// Bytes, as text if they are printable ASCII and long enough to be meant so.
  init(readable bytes: [UInt8]) {
    let isText = bytes.count > 2 && bytes.allSatisfy { (0x20...0x7E).contains($0) }
    self = isText ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(bytes)
  }

  /// Its bytes on the air.
  var bytes: [UInt8] {
    switch self {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    case .number(let number, let format): format.encode(number) ?? []
    }
  }

  /// The bytes of a value.
  @inline(never)
  static func bytes(of fields: [ValueField]) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields { bytes += field.bytes }
    return bytes
  }

  /// Whether it is a number.
  var isNumber: Bool { if case .number = self { true } else { false } }

  /// Its text in a file.
  var fileText: String {
    switch self {
    case .text(let text): "text " + quoted(text)
    case .bytes(let bytes): "hex " + hexadecimalText(bytes)
    case .number(let number, let format): format.name + " " + number.text
    }
  }

  /// Reads one field.
  ///
  /// - Throws: What was expected.
  init(_ text: Substring) throws(Expected) {
    if text.hasPrefix("\"") {
      self = .text(try unquoted(text))
      return
    }
    let word = firstWord(text)
    let rest = trimmed(text.dropFirst(word.utf8.count))
    if word == "text" {
      self = .text(try unquoted(rest))
    } else if word == "hex" {
      guard let bytes = hexadecimalBytes(rest), !bytes.isEmpty else {
        throw Expected("pairs of hexadecimal digits, such as hex 00 48")
      }
      self = .bytes(bytes)
    } else if let format = NumberFormat(word[...]) {
      guard let number = DecimalNumber(rest), format.encode(number) != nil else {
        throw Expected(format.expected)
      }
      self = .number(number, format)
    } else {
      throw Expected(
        "text \"…\", hex 00 48, or a number such as uint8 72, sint16e-2 21.5 or medfloat32 36.6")
    }
  }

  /// Reads the fields of a value.
  static func fields(_ text: Substring) throws(Expected) -> [ValueField] {
    var fields: [ValueField] = []
    for part in list(text) { fields.append(try ValueField(part)) }
    return try limited(fields)
  }

  /// The fields, if an attribute's value has room for them: Core Specification, Vol 3, Part F, 3.2.9.
  static func limited(_ fields: [ValueField]) throws(Expected) -> [ValueField] {
    let count = bytes(of: fields).count
    guard count <= 512 else { throw Expected("at most 512 bytes in all: these are \(count)") }
    return fields
  }

  /// The text of a value in a file.
  @inline(never)
  static func fileText(_ fields: [ValueField]) -> String {
    fields.map(\.fileText).joined(separator: ", ")
  }
}
