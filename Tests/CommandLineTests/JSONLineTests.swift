import BluetoothHost
import EightBall
import Expectations

@testable import eightball

@Suite("One JSON object per line")
struct JSONLineTests {
  /// What a text has, the text, and its form in JSON.
  static let rows = [
    ("plain", "Will it rain?", #"Will it rain?"#),
    ("quote and backslash", #"a"b\c"#, #"a\"b\\c"#),
    ("line ends and tab", "a\nb\rc\td", #"a\nb\rc\td"#),
    ("bell", "\u{7}", #"\u0007"#),
    ("line separator of Unicode", "\u{2028}", #"\u2028"#),
    ("several bytes", "Don’t – 🎱?", "Don’t – 🎱?"),
  ]

  @Test("Text is escaped", arguments: rows)
  func escapes(what: String, text: String, expected: String) {
    var line = JSONLine(event: "e")
    line.add("text", text)
    expect(line.text, is: #"{"event":"e","text":""# + expected + #""}"#, "\(what)")
  }

  @Test("Members keep the order in which they are added")
  func order() {
    var line = JSONLine(event: "first")
    line.add("number", -120)
    line.add("missing", nil as Int?)
    line.add("missing", nil as String?)
    line.add("truth", true)
    line.add("texts", texts: ["180A", "1800"])
    line.add(
      "address", DeviceAddress(kind: .public, bytes: [0x01, 0, 0, 0, 0, 0xF0]) as DeviceAddress?)
    expect(
      line.text,
      is: #"{"event":"first","number":-120,"truth":true,"texts":["180A","1800"],"#
        + #""address":"F0:00:00:00:00:01"}"#)
  }
}

@Suite("Text from the air")
struct WordingTests {
  @Test("Control characters and direction overrides are replaced")
  func printableText() {
    // Escape, bell, a right-to-left override; a joiner that emoji need stays.
    expect(printable("a\u{1B}[2Jb\u{7}c\u{202E}d"), is: "a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d")
    expect(printable("👩\u{200D}🚀?"), is: "👩\u{200D}🚀?")
  }
}
