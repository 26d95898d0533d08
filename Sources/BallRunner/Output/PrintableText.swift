import BluetoothHost

extension ByteWriter {
  /// Writes UTF-8 text from a peer so that it cannot control a terminal: the replacement character
  /// stands for each scalar that controls the terminal or the text direction, and for each byte
  /// that is not UTF-8.
  @_lifetime(self: copy self) public mutating func write(printable utf8: Span<UInt8>) {
    var scalars = UTF8Scalars(utf8)
    while let scalar = scalars.next() {
      switch scalar {
      case .ascii(let run): write(asMuchAsFits: run)
      case .scalar(let value, let bytes) where !value.isControlOrFormat: write(bytes)
      case .scalar, .malformed: write(text: "\u{FFFD}")
      }
    }
  }

  /// Writes UTF-8 text escaped for a JSON string, with the replacement character for each byte that
  /// is not UTF-8.
  ///
  /// Besides what RFC 8259, 7, requires, it escapes controls and Unicode's line ends, so that every
  /// reader sees one line.
  @_lifetime(self: copy self) public mutating func write(escaped utf8: Span<UInt8>) {
    var scalars = UTF8Scalars(utf8)
    while let scalar = scalars.next(escapingQuotes: true) {
      switch scalar {
      case .ascii(let run): write(asMuchAsFits: run)
      case .scalar(let value, let bytes): write(escaping: value, bytes)
      case .malformed: write(text: "\u{FFFD}")
      }
    }
  }

  /// Writes as many of `bytes` as fit, and overflows if that is not all.
  @_lifetime(self: copy self) @inline(never) private mutating func write(
    asMuchAsFits bytes: Span<UInt8>
  ) {
    guard bytes.count > freeCapacity else { return write(bytes) }
    writePrefix(of: bytes)
    // Forces the overflow.
    write(UInt8(ascii: " "))
  }

  @_lifetime(self: copy self) private mutating func write(
    escaping scalar: UInt32, _ bytes: Span<UInt8>
  ) {
    switch scalar {
    case 0x22: write(text: "\\\"")
    case 0x5C: write(text: "\\\\")
    case 0x0A: write(text: "\\n")
    case 0x0D: write(text: "\\r")
    case 0x09: write(text: "\\t")
    case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029:
      write(text: "\\u")
      write(hexadecimal: UInt16(truncatingIfNeeded: scalar))
    default: write(bytes)
    }
  }
}

/// A text in UTF-8, cut into runs of plain ASCII and single scalars.
private struct UTF8Scalars: ~Escapable {
  enum Element: ~Escapable {
    /// One or more characters from space to tilde.
    case ascii(Span<UInt8>)
    /// Another scalar, and its bytes.
    case scalar(UInt32, Span<UInt8>)
    /// One byte that begins no valid scalar here.
    case malformed
  }

  private let utf8: Span<UInt8>
  private var position = 0

  @_lifetime(copy utf8) init(_ utf8: Span<UInt8>) { self.utf8 = utf8 }

  /// The next element; `nil` at the end.
  ///
  /// - Parameter quotes: Whether a quotation mark and a backslash end a run.
  @_lifetime(copy self) mutating func next(escapingQuotes quotes: Bool = false) -> Element? {
    let start = position
    if !quotes { position &+= utf8.plainASCIIByWords(from: position) }
    while position < utf8.count, isPlain(utf8[position], quotes) { position &+= 1 }
    if position > start { return .ascii(utf8.extracting(start..<position)) }
    guard start < utf8.count else { return nil }
    let lead = utf8[start]
    let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    position = min(start &+ length, utf8.count)
    let bytes = utf8.extracting(start..<position)
    guard bytes.isValidUTF8 else {
      position = start &+ 1
      return .malformed
    }
    var value = length == 1 ? UInt32(lead) : UInt32(lead) & (0x7F &>> UInt32(length))
    var index = 1
    while index < length {
      value = value &<< 6 | UInt32(bytes[index]) & 0x3F
      index &+= 1
    }
    return .scalar(value, bytes)
  }

  private func isPlain(_ byte: UInt8, _ quotes: Bool) -> Bool {
    byte >= 0x20 && byte < 0x7F && !(quotes && (byte == 0x22 || byte == 0x5C))
  }
}

extension UInt32 {
  /// Whether the scalar controls a terminal or is invisible: Unicode's categories Cc, Cf, Zl and
  /// Zp, without the zero width joiner, which emoji need. The Unicode Character Database 17.0,
  /// DerivedGeneralCategory.txt.
  fileprivate var isControlOrFormat: Bool {
    switch self {
    case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x0600...0x0605, 0x061C, 0x06DD, 0x070F, 0x0890...0x0891,
      0x08E2, 0x180E, 0x200B...0x200C, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x2064,
      0x2066...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0x1_10BD, 0x1_10CD, 0x1_3430...0x1_343F,
      0x1_BCA0...0x1_BCA3, 0x1_D173...0x1_D17A, 0xE_0001, 0xE_0020...0xE_007F:
      true
    default: false
    }
  }
}
