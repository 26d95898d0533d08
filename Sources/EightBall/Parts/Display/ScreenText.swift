import BluetoothHost

/// The text of a screen in glyphs of the display's font: what is broken into lines, and after it at most one line of
/// its own.
public struct ScreenText: Equatable, Sendable {
  // A name has at most 29 bytes, and no other text has more.
  private var glyphs = InlineArray<40, UInt8>(repeating: Font.blank)
  /// How many glyphs are broken into lines.
  private(set) var bodyCount = 0
  /// How many glyphs there are.
  private(set) var count = 0

  /// An empty text.
  init() {}

  /// Whether both look the same.
  @inline(never)
  public static func == (left: ScreenText, right: ScreenText) -> Bool {
    left.bodyCount == right.bodyCount && left.count == right.count
      && left.glyphs.span.hasSameBytes(as: right.glyphs.span)
  }

  /// The glyph at `index`; a blank outside of the text.
  ///
  /// Mutating, as the functions of a layout are, only because the compiler copies a whole array to read an element of a
  /// value that cannot change: 40 bytes for each glyph, and a layout for each column of pixels.
  mutating func glyph(at index: Int) -> UInt8 {
    index >= 0 && index < glyphs.count ? glyphs[index] : Font.blank
  }

  /// Appends a text in UTF-8, or as much of it as fits.
  ///
  /// A scalar that the font lacks is one box, in the order of the text, and so is each part of the text that is not
  /// UTF-8.
  @inline(never)
  mutating func append(_ utf8: Span<UInt8>) {
    var position = 0
    while let scalar = utf8.scalar(at: &position), count < glyphs.count {
      guard let glyph = Font.glyph(of: scalar) else { continue }
      glyphs[count] = glyph
      count &+= 1
    }
    bodyCount = count
  }

  /// Appends a constant of the program.
  @inline(never)
  mutating func append(_ text: StaticString) {
    guard text.hasPointerRepresentation else { return }
    let utf8 = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    unsafe append(utf8.span)
  }

  /// Appends a line that follows the others and is never broken.
  mutating func appendLastLine(_ text: StaticString) {
    let end = bodyCount
    append(text)
    bodyCount = end
  }
}

extension Span<UInt8> {
  /// Decodes the scalar at `position`, and moves on behind it; `nil` at the end.
  ///
  /// What is not UTF-8 gives U+FFFD for each maximal subpart: The Unicode Standard, 3.9, table 3-7 and *U+FFFD
  /// Substitution of Maximal Subparts*.
  func scalar(at position: inout Int) -> UInt32? {
    guard position >= 0, position < count else { return nil }
    let lead = self[position]
    position &+= 1
    var bits = UInt32(lead)
    var tailCount: Int
    switch lead {
    case 0x00...0x7F: return bits
    case 0xC2...0xDF: (bits, tailCount) = (bits & 0x1F, 1)
    case 0xE0...0xEF: (bits, tailCount) = (bits & 0x0F, 2)
    case 0xF0...0xF4: (bits, tailCount) = (bits & 0x07, 3)
    default: return 0xFFFD
    }
    // The second byte has a narrower range after these, and no other byte has.
    var first: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
    var last: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
    while tailCount > 0 {
      guard position < count, self[position] >= first, self[position] <= last else { return 0xFFFD }
      bits = bits &<< 6 | UInt32(self[position] & 0x3F)
      position &+= 1
      tailCount &-= 1
      (first, last) = (0x80, 0xBF)
    }
    return bits
  }
}
