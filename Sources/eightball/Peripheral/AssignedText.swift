import BluetoothHost

/// The kinds of UUIDs of an attribute, and their numbers: Assigned Numbers, 3.4, 3.7 and 3.8.
enum AssignedGroup {
  case service, descriptor, characteristic

  /// The numbers among which the names of this kind are.
  fileprivate var numbers: ClosedRange<UInt16> {
    switch self {
    case .service: 0x1800...0x18FF
    case .descriptor: 0x2900...0x29FF
    case .characteristic: 0x2A00...0x2BFF
    }
  }
}

extension BluetoothUUID {
  /// Reads `180D`, `0x180D`, a UUID with or without hyphens, or an assigned name, in any case and with hyphens for
  /// blanks; `nil` for any other text.
  init?(file text: Substring, of group: AssignedGroup) {
    let number = text.hasPrefix("0x") ? text.dropFirst(2) : text
    let digits = list(number, separator: UInt8(ascii: "-")).joined()
    let bytes = words(number).count == 1 ? hexadecimalBytes(digits[...]) ?? [] : []
    if bytes.count == 2 {
      self.init(UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
    } else if bytes.count == 16 {
      self.init(high: Self.number(bytes[..<8]), low: Self.number(bytes[8...]))
    } else {
      let number = group.numbers.first { number in
        BluetoothUUID(number).assignedName?.description.isAssignedName(text) ?? false
      }
      guard let number else { return nil }
      self.init(number)
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension String {
  /// Whether `text` is this assigned name, in any case, and with blanks or hyphens.
  func isAssignedName(_ text: Substring) -> Bool {
    utf8.count == text.utf8.count
      && zip(utf8, text.utf8).allSatisfy { letter, typed in
        letter == UInt8(ascii: " ")
          ? typed == letter || typed == UInt8(ascii: "-") : letter | 0x20 == typed | 0x20
      }
  }
}

extension GATTProperties {
  /// The names in a file, in the order of the bits.
  private static let names: [Substring] = [
    "broadcast", "read", "write-command", "write", "notify", "indicate", "signed-write", "extended",
  ]

  /// All names, with commas between them.
  static var list: String { names.joined(separator: ", ") }

  /// The property of this name; `nil` if there is none.
  static func named(_ name: Substring) -> GATTProperties? {
    names.firstIndex(of: name).map { GATTProperties(rawValue: 1 << UInt8($0)) }
  }

  /// The first word after a characteristic's UUID that is no property; `nil` if no UUID begins the words.
  static func unknownName(in words: [Substring]) -> Substring? {
    let count = words.indices.last { count in
      BluetoothUUID(file: words[..<count].joined(separator: " ")[...], of: .characteristic) != nil
    }
    return count.flatMap { words[$0...].first { named($0) == nil } }
  }

  /// The names, with blanks between them; `none` without any.
  var fileText: String {
    rawValue == 0
      ? "none"
      : Self.names.indices.filter { rawValue & 1 << UInt8($0) != 0 }.map { String(Self.names[$0]) }
        .joined(separator: " ")
  }
}

extension AttributeProtection {
  /// The uses of a value, and the bits of each: of an encrypted link, and of one with an authenticated key.
  private static let uses: [(name: Substring, encrypted: UInt8, authenticated: UInt8)] = [
    ("read", 0x01, 0x03), ("write", 0x04, 0x0C), ("subscribe", 0x10, 0x30),
  ]

  /// Reads `encrypted`, `authenticated`, or `read encrypted, write authenticated, subscribe encrypted`.
  ///
  /// - Throws: What was expected.
  init(file text: Substring) throws(Expected) {
    self = .none
    for part in list(text) {
      var parts = words(part)
      var uses = Self.uses
      if parts.count == 2 {
        uses = uses.filter { $0.name == parts[0] }
        parts.removeFirst()
      }
      guard parts.count == 1, !uses.isEmpty, parts[0] == "encrypted" || parts[0] == "authenticated"
      else {
        throw Expected(
          "encrypted or authenticated, for all uses or after read, write or subscribe with commas "
            + "between several")
      }
      for use in uses {
        let bits = parts[0] == "encrypted" ? use.encrypted : use.authenticated
        self = self | AttributeProtection(rawValue: bits)
      }
    }
  }

  /// Its text in a file; empty without protection.
  var fileText: String {
    if rawValue == 0x15 { return "encrypted" }
    if rawValue == 0x3F { return "authenticated" }
    var parts: [String] = []
    for use in Self.uses where rawValue & use.authenticated != 0 {
      let isAuthenticated = rawValue & use.authenticated == use.authenticated
      parts.append("\(use.name) \(isAuthenticated ? "authenticated" : "encrypted")")
    }
    return parts.joined(separator: ", ")
  }
}
