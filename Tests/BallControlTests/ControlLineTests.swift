import BallControl
import Testing

@Suite("A line of the control socket is read")
struct ControlLineTests {
  private func line(_ text: String) -> ControlLine? { ControlLine(Array(text.utf8)) }

  @Test("Texts and truth values are members; others are passed over")
  func members() throws {
    let read = try #require(
      line(
        #" { "event" : "lights", "status":true,"answer":false , "n":-1.5e3,"z":null,"#
          + #""deep":[1,{"event":"inner"},[]],"more":{},"after":"it" } "#))
    #expect(read.event == "lights")
    #expect(read.truth("status") == true && read.truth("answer") == false)
    #expect(read.text("after") == "it")
    #expect(read.number("n") == nil)
    #expect(line("{\"n\":18446744073709551615,\"m\":8}")?.number("n") == .max)
    #expect(line("{\"n\":18446744073709551616}")?.number("n") == nil)
    #expect(read.text("status") == nil && read.truth("event") == nil && read.text("n") == nil)
  }

  @Test(
    "Escapes are read",
    arguments: [
      (#"a\"b\\c\/d"#, "a\"b\\c/d"), (#"\b\f\n\r\t"#, "\u{8}\u{C}\n\r\t"),
      (#"\u00e9\u2028"#, "é\u{2028}"),
      (#"\ud83c\udfb1"#, "🎱"), ("🎱 – ’", "🎱 – ’"),
    ])
  func escapes(written: String, text: String) {
    #expect(line("{\"event\":\"\(written)\"}")?.event == text)
  }

  @Test(
    "Anything else is no line",
    arguments: [
      "", "x", "[]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1,}", "{\"a\" 1}",
      "{\"a\":\"\\x\"}", "{\"a\":\"\\ud83c\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"open}",
      "{\"a\":tru}",
    ])
  func malformed(text: String) {
    #expect(line(text) == nil)
  }

  @Test("A text that is not UTF-8, or nesting without end, is no line")
  func hostile() {
    #expect(ControlLine([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) == nil)
    #expect(line("{\"a\":" + String(repeating: "[", count: 100_000)) == nil)
  }

  @Test("An empty object has no event")
  func empty() {
    #expect(line("{}")?.event == "")
  }
}
