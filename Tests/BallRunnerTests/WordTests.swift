import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

@Suite("Text from the air in the output")
struct WordTests {
  private static func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// What a text is, its bytes, its form for a terminal, and its form in JSON.
  static let rows: [(what: String, bytes: [UInt8], shown: String, escaped: String)] = [
    ("plain", utf8("Will it rain?"), "Will it rain?", "Will it rain?"),
    ("quote and backslash", utf8(#"a"b\c"#), #"a"b\c"#, #"a\"b\\c"#),
    ("line ends and tab", utf8("a\nb\rc\td"), "a\u{FFFD}b\u{FFFD}c\u{FFFD}d", #"a\nb\rc\td"#),
    ("bell", utf8("\u{7}"), "\u{FFFD}", #"\u0007"#),
    ("escape", utf8("\u{1B}[2J?"), "\u{FFFD}[2J?", #"\u001B[2J?"#),
    ("delete and C1", utf8("\u{7F}\u{9B}"), "\u{FFFD}\u{FFFD}", #"\u007F\u009B"#),
    ("line separator of Unicode", utf8("\u{2028}"), "\u{FFFD}", #"\u2028"#),
    ("right-to-left override", utf8("\u{202E}x"), "\u{FFFD}x", "\u{202E}x"),
    ("several bytes", utf8("Don’t – 🎱?"), "Don’t – 🎱?", "Don’t – 🎱?"),
    ("joined emoji", utf8("👩\u{200D}🔬"), "👩\u{200D}🔬", "👩\u{200D}🔬"),
    ("no UTF-8", [0x61, 0xFF, 0x62], "a\u{FFFD}b", "a\u{FFFD}b"),
    ("cut UTF-8", [0x61, 0xF0, 0x9F], "a\u{FFFD}\u{FFFD}", "a\u{FFFD}\u{FFFD}"),
    ("overlong UTF-8", [0xC0, 0x80], "\u{FFFD}\u{FFFD}", "\u{FFFD}\u{FFFD}"),
    ("surrogate", [0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ("nothing", utf8(""), "", ""),
  ]

  @Test(
    "A terminal shows nothing that would control it, and JSON is one line for every reader",
    arguments: rows)
  func forms(what: String, bytes: [UInt8], shown: String, escaped: String) {
    expect(written { $0.write(printable: bytes.span) }, is: shown, "\(what)")
    expect(written { $0.write(escaped: bytes.span) }, is: escaped, "\(what)")
  }

  @Test("Exactly the scalars of Cc, Cf, Zl and Zp are replaced, except the joiner of emoji")
  func everyScalar() {
    // 256 scalars at a time: 1,024 bytes at most.
    for first in stride(from: UInt32(0), through: 0x10_FFFF, by: 256) {
      var text = String.UnicodeScalarView()
      var expected = String.UnicodeScalarView()
      for case let scalar? in (first..<first + 256).map({ Unicode.Scalar($0) }) {
        text.append(scalar)
        let isControlOrFormat: Bool =
          switch scalar.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator: true
          case .format: scalar != "\u{200D}"
          default: false
          }
        expected.append(isControlOrFormat ? "\u{FFFD}" : scalar)
      }
      let bytes = Array(String(text).utf8)
      let shown = written { $0.write(printable: bytes.span) }
      expect(shown.unicodeScalars.elementsEqual(expected), "from U+\(String(first, radix: 16))")
    }
  }

  @Test("Each byte is shown the same at each position in a word of eight bytes", arguments: 0..<19)
  func everyByteEverywhere(_ connectionIndex: Int) {
    for byte in UInt8.min ... .max {
      var bytes = Array("Is all of it shown?".utf8)
      bytes[connectionIndex] = byte
      var expected = Array("Is all of it shown?".unicodeScalars)
      // A byte from 0x80 on is not UTF-8 alone.
      expected[connectionIndex] = byte >= 0x20 && byte < 0x7F ? Unicode.Scalar(byte) : "\u{FFFD}"
      let shown = written { $0.write(printable: bytes.span) }
      expect(shown.unicodeScalars.elementsEqual(expected), "byte \(byte)")
    }
  }

  @Test("Each ASCII byte has one form in JSON")
  func everyASCIIByte() {
    for byte in UInt8(0)..<0x80 {
      let expected: String =
        switch byte {
        case 0x22: #"\""#
        case 0x5C: #"\\"#
        case 0x0A: #"\n"#
        case 0x0D: #"\r"#
        case 0x09: #"\t"#
        case 0x20..<0x7F: String(Unicode.Scalar(byte))
        default: #"\u00"# + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
      expect(written { $0.write(escaped: [0x61, byte, 0x62].span) }, is: "a\(expected)b")
    }
  }

  @Test(
    "A sentence ends in one full stop",
    arguments: [
      ("it is gone", "it is gone."), ("Is it?", "Is it?"), ("It is.", "It is."), ("", ""),
    ])
  func sentence(_ text: String, _ expected: String) {
    let bytes = Array(text.utf8)
    expect(written { $0.write(sentence: bytes.span) }, is: expected)
  }

  @Test("Numbers and addresses are written as people write them")
  func numbers() {
    expect(written { $0.write(decimal: 0) }, is: "0")
    expect(written { $0.write(decimal: -120) }, is: "-120")
    expect(written { $0.write(decimal: .max) }, is: "9223372036854775807")
    expect(written { $0.write(decimal: .min) }, is: "-9223372036854775808")
    expect(written { $0.write(hexadecimal: UInt8(0x0C)) }, is: "0C")
    expect(written { $0.write(hexadecimal: UInt16(0x0C03)) }, is: "0C03")
    let address = DeviceAddress(kind: .public, bytes: [0x01, 0, 0, 0, 0, 0xF0])
    expect(written { $0.write(address) }, is: "F0:00:00:00:00:01")
  }
}

@Suite("Lines that wait for a reader")
struct LineQueueTests {
  @Test("Lines wait whole, in order")
  func order() {
    var queue = LineQueue<64>()
    queue.append { $0.write(text: "one") }
    queue.append { $0.write(text: "two") }
    expect(text(queue.pending), is: "one\ntwo\n")
    queue.remove(2)
    expect(text(queue.pending), is: "e\ntwo\n")
    queue.remove(6)
    expect(text(queue.pending), is: "")
  }

  @Test("A line without room is left out and counted, as are later ones until the report")
  func loss() {
    var queue = LineQueue<24>()
    queue.append { $0.write(text: "0123456789") }
    queue.append { $0.write(text: "this is too long") }
    queue.append { $0.write(text: "x") }
    expect(queue.lostLines, is: 2)
    expect(text(queue.pending), is: "0123456789\n")
    // There is no room for the report yet.
    queue.appendLoss { writer, count in writer.write(text: "too long a report") }
    expect(queue.lostLines, is: 2)
    queue.remove(11)
    queue.appendLoss { writer, count in
      writer.write(decimal: count)
      writer.write(text: " lost")
    }
    expect(text(queue.pending), is: "2 lost\n")
    expect(queue.lostLines, is: 0)
    queue.appendLoss { $0.write(decimal: $1) }
    expect(text(queue.pending), is: "2 lost\n", "Once.")
  }

  @Test("An empty line waits as other lines do: a line that is too long is left out behind it")
  func emptyLine() {
    var queue = LineQueue<16>()
    queue.append { _ in }
    queue.append { $0.write(text: "a line that is too long") }
    expect(text(queue.pending), is: "\n")
    expect(queue.lostLines, is: 1)
  }

  @Test("A line that is too long for an empty queue is cut, or left out if it must not be cut")
  func cut() {
    var queue = LineQueue<16>()
    let long = Array("0123456789abcdefghij".utf8)
    queue.append { $0.write(printable: long.span) }
    // 16 bytes less the three of “…” and the line end.
    expect(text(queue.pending), is: "0123456789ab…\n")
    queue.remove(.max)
    queue.append(mayBeCut: false) { $0.write(printable: long.span) }
    expect(text(queue.pending), is: "")
    expect(queue.lostLines, is: 1)
  }

  private func text(_ span: Span<UInt8>) -> String { String(decoding: Array(span), as: UTF8.self) }
}
