import BallControl
import BallRunner
import BluetoothHost
import Expectations

@Suite("A line of the control socket is read")
struct ControlLineTests {
  private func line(_ text: String) -> ControlLine? { ControlLine(Array(text.utf8)) }

  @Test("Texts and truth values are members; others are passed over")
  func members() throws {
    let read = try #require(
      line(
        #" { "event" : "lights", "status":true,"answer":false , "n":-1.5e3,"z":null,"#
          + #""deep":[1,{"event":"inner"},[]],"more":{},"after":"it" } "#))
    expect(read.event, is: "lights")
    expect(read.truth("status") == true && read.truth("answer") == false)
    expect(read.text("after"), is: "it")
    expect(read.number("n"), is: nil)
    expect(line("{\"n\":18446744073709551615,\"m\":8}")?.number("n"), is: .max)
    expect(line("{\"n\":18446744073709551616}")?.number("n"), is: nil)
    expect(read.text("status") == nil && read.truth("event") == nil && read.text("n") == nil)
  }

  @Test(
    "Escapes are read",
    arguments: [
      (#"a\"b\\c\/d"#, "a\"b\\c/d"), (#"\b\f\n\r\t"#, "\u{8}\u{C}\n\r\t"),
      (#"\u00e9\u2028"#, "é\u{2028}"), (#"\ud83c\udfb1"#, "🎱"), ("🎱 – ’", "🎱 – ’"),
    ])
  func escapes(written: String, text: String) {
    expect(line("{\"event\":\"\(written)\"}")?.event, is: text)
  }

  @Test(
    "Anything else is no line",
    arguments: [
      "", "x", "[]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1,}", "{\"a\" 1}",
      "{\"a\":\"\\x\"}", "{\"a\":\"\\ud83c\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"open}",
      "{\"a\":tru}",
    ])
  func malformed(text: String) {
    expect(line(text) == nil)
  }

  @Test("A text that is not UTF-8, or nesting without end, is no line")
  func hostile() {
    expect(ControlLine([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) == nil)
    expect(line("{\"a\":" + String(repeating: "[", count: 100_000)) == nil)
  }

  @Test("What follows the object is refused, except white space")
  func ends() {
    for text in [#"{"event":"a"}x"#, #"{"event":"a"}{}"#, "{}}", "{} 1"] {
      expect(line(text) == nil)
    }
    expect(line("{\"event\":\"a\"} \r\n")?.event, is: "a")
    // An empty object has no event.
    expect(line("{} ")?.event, is: "")
  }
}

@Suite("The event of the figures")
struct FiguresLineTests {
  @Test("The figures that a ball sends are read back")
  func figures() throws {
    var figures = BallFigures()
    for number in 0..<Figure.count {
      Figure(rawValue: number).map { figures[$0] = UInt64(1_000 + number) }
    }
    var line = ByteBuffer<2_048>()
    line.write { $0.writeJSON(figures) }
    let bytes = line.span.indices.map { line.span[$0] }
    let read = try #require(FiguresLine(bytes))
    expect(read.event, is: "figures")
    expect(read.version, is: "0.2.0")
    expect(read.balls, is: 1)
    expect(read.figures, is: figures)
    // Truncated at any byte, it is refused.
    for count in bytes.indices { expect(FiguresLine(Array(bytes.prefix(count))) == nil) }
  }

  @Test("Figures that a ball lacks are 0, and unknown figures are ignored")
  func otherVersions() throws {
    let text = #"{"event":"figures","version":"9.0.0","questions":8,"wishes":3}"#
    let read = try #require(FiguresLine(Array(text.utf8)))
    var expected = BallFigures()
    expected[.questions] = 8
    expect(read.figures, is: expected)
  }

  @Test("A refused request says why, and a swarm says of how many balls its figures are")
  func others() throws {
    let refusal = #"{"event":"error","request":"figures","detail":"This ball keeps no figures."}"#
    let refused = try #require(FiguresLine(Array(refusal.utf8)))
    expect(refused.event == "error" && refused.request == "figures")
    expect(refused.detail, is: "This ball keeps no figures.")
    let text = #"{"event":"figures","balls":20,"version":"0.2.0","questions":8}"#
    let swarm = try #require(FiguresLine(Array(text.utf8)))
    expect(swarm.balls == 20 && swarm.figures[.questions] == 8)
  }
}
