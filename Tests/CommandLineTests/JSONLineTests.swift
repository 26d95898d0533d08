import BluetoothHost
import EightBall
import Testing

@testable import eightball
import LinuxRadio

@Suite("One JSON object per line")
struct JSONLineTests {
  /// A text, its name, and its form in JSON.
  struct Row: CustomTestStringConvertible {
    let what: String
    let text: String
    let expected: String
    var testDescription: String { what }
  }

  static let rows = [
    Row(what: "plain", text: "Will it rain?", expected: #"Will it rain?"#),
    Row(what: "quote and backslash", text: #"a"b\c"#, expected: #"a\"b\\c"#),
    Row(what: "line ends and tab", text: "a\nb\rc\td", expected: #"a\nb\rc\td"#),
    Row(what: "bell", text: "\u{7}", expected: #"\u0007"#),
    Row(what: "line separator of Unicode", text: "\u{2028}", expected: #"\u2028"#),
    Row(what: "several bytes", text: "Don’t – 🎱?", expected: "Don’t – 🎱?"),
  ]

  @Test("Text is escaped", arguments: rows)
  func escapes(_ row: Row) {
    var line = JSONLine(event: "e")
    line.add("text", row.text)
    #expect(line.text == #"{"event":"e","text":""# + row.expected + #""}"#)
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
    #expect(
      line.text
        == #"{"event":"first","number":-120,"truth":true,"texts":["180A","1800"],"#
        + #""address":"F0:00:00:00:00:01"}"#)
  }
}

@Suite("Text from the air")
struct WordingTests {
  @Test("Control characters and direction overrides are replaced")
  func printableText() {
    // Escape, bell, a right-to-left override; a joiner that emoji need stays.
    #expect(printable("a\u{1B}[2Jb\u{7}c\u{202E}d") == "a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d")
    #expect(printable("👩\u{200D}🚀?") == "👩\u{200D}🚀?")
  }
}
