import BluetoothHost

extension Span<UInt8> {
  /// Whether it is a valid name for the kernel: 1 to `limit` printable ASCII characters, without
  /// quotes and backslashes.
  func isPlainName(upTo limit: Int) -> Bool {
    guard !isEmpty, count <= limit else { return false }
    for index in indices {
      let byte = self[index]
      let isPlain =
        byte >= 0x20 && byte <= 0x7E && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      guard isPlain else { return false }
    }
    return true
  }
}

extension ByteWriter {
  /// Writes as much of `text` as fits. Not inlined, unlike `writePrefix`.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func add(_ text: StaticString) {
    writePrefix(of: text)
  }

  /// Writes as much of `text` as fits, with `name` in place of each percent sign.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func add(_ text: StaticString, _ name: StaticString) {
    guard text.hasPointerRepresentation else { return }
    let bytes = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    var rest = unsafe bytes.span
    while let mark = rest.firstIndex(of: UInt8(ascii: "%")) {
      add(rest.extracting(first: mark))
      add(name)
      rest = rest.extracting(droppingFirst: mark + 1)
    }
    add(rest)
  }

  /// Writes as much of `text` as fits.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func add(_ text: Span<UInt8>) {
    writePrefix(of: text)
  }

  /// Writes a text of unknown origin: its first 60 characters, with U+FFFD for each control
  /// character and for each byte that is not UTF-8, and an ellipsis if there are more.
  @_lifetime(self: copy self)
  public mutating func writeShown(_ text: Span<UInt8>) {
    var position = 0
    var characters = 0
    while position < text.count {
      guard characters < 60 else { return add("…") }
      let lead = text[position]
      let length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      let end = min(position &+ length, text.count)
      let character = text.extracting(position..<end)
      if character.isValidUTF8 {
        character.isControl ? add("\u{FFFD}") : add(character)
        position = end
      } else {
        add("\u{FFFD}")
        position &+= 1
      }
      characters &+= 1
    }
  }
}

extension Span<UInt8> {
  /// Whether it is a control character: U+0000 to U+001F, U+007F to U+009F.
  fileprivate var isControl: Bool {
    let first = self[0]
    return first < 0x20 || first == 0x7F || first == 0xC2 && self[1] < 0xA0
  }
}
