import BluetoothHost
import Expectations

@testable import EightBall

@Suite("The text of a screen")
struct ScreenTextTests {
  @Test(
    "What the font lacks is one box",
    arguments: [
      ("Will it rain?", "Will it rain?"), ("Yes – don’t…", "Yes – don’t…"),
      ("Пойдёт ли дождь?", "□□□□□□ □□ □□□□□?"), ("明日は雨？", "□□□□□"), ("هل ستمطر؟", "□□ □□□□□□"),
      ("caf\u{E9}, cafe\u{301}", "caf□, cafe"), ("a\u{A0}b\u{3000}c", "a b c"),
      ("line\nline\ttab\u{7F}", "line□line□tab□"),
      // A family of three with joiners, a tone of skin, a keycap, and a flag of two scalars.
      ("👨\u{200D}👩\u{200D}👧 👍🏽 8\u{FE0F}\u{20E3} 🇨🇭", "□□□ □ 8 □□"),
      // Points of Hebrew and Arabic, and marks of direction.
      ("\u{202B}שָׁלוֹם\u{202C} مَرْحَبًا\u{200F}", "□□□□ □□□□□"),
    ])
  func scripts(text: String, glyphs: String) {
    expect(shown(Array(text.utf8)), is: glyphs)
  }

  @Test(
    "What is not UTF-8 is a box for each maximal subpart",
    arguments: [
      ([0x61, 0x80, 0xFF, 0x62], "a□□b"),
      // The Unicode Standard, 3.9, table 3-8: overlong forms, surrogates, too large, truncated.
      ([0xC0, 0xAF, 0xE0, 0x80, 0xBF, 0xF0, 0x81, 0x82, 0x41], "□□□□□□□□A"),
      ([0xED, 0xA0, 0x80, 0xED, 0xBF, 0xBF, 0xED, 0xAF, 0x41], "□□□□□□□□A"),
      ([0xF4, 0x91, 0x92, 0x93, 0xFF, 0x41, 0x80, 0xBF, 0x42], "□□□□□A□□B"),
      ([0xE1, 0x80, 0xE2, 0xF0, 0x91, 0x92, 0xF1, 0xBF, 0x41], "□□□□A"),
      ([0xE2, 0x80], "□"), ([0xF0, 0x9F, 0x8E], "□"), ([0xE2, 0x82, 0xAC], "□"), ([], ""),
    ] as [([UInt8], String)])
  func broken(bytes: [UInt8], glyphs: String) {
    expect(shown(bytes), is: glyphs)
  }

  @Test("A text ends where there is no more room")
  func long() {
    expect(shown(Array(repeating: 0x61, count: 512)), is: String(repeating: "a", count: 40))
  }

  @Test("Every scalar is decoded as the standard library does")
  func scalars() {
    for value in stride(from: UInt32(0), through: 0x10FFFF, by: 61) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let bytes = Array(String(Character(scalar)).utf8)
      var position = 0
      expect(bytes.span.scalar(at: &position), is: value)
      expect(position, is: bytes.count)
    }
  }

  /// The glyphs of a text, with □ for the box.
  private func shown(_ utf8: [UInt8]) -> String {
    var text = ScreenText()
    text.append(utf8.span)
    return String(
      (0..<text.count).map { index -> Character in
        switch text.glyph(at: index) {
        case Font.box: "□"
        case Font.enDash: "–"
        case Font.apostrophe: "’"
        case Font.ellipsis: "…"
        case let code: Character(Unicode.Scalar(code))
        }
      })
  }
}
