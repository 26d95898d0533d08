import BallTestSupport
import BluetoothHost
import Expectations

private func isValid(_ bytes: [UInt8]) -> Bool { bytes.span.isValidUTF8 }

/// The standard library's judgement.
private func isValidString(_ bytes: [UInt8]) -> Bool {
  String(validating: bytes, as: UTF8.self) != nil
}

@Suite("UTF-8")
struct UTF8Tests {
  @Test(
    "Valid sequences are accepted",
    arguments: [
      Row("nothing", []),
      Row("U+0000", [0x00]),
      Row("U+007F, the last of one byte", [0x7F]),
      Row("U+0080, the first of two", [0xC2, 0x80]),
      Row("U+07FF, the last of two", [0xDF, 0xBF]),
      Row("U+0800, the first of three", [0xE0, 0xA0, 0x80]),
      Row("U+D7FF, the last before the surrogates", [0xED, 0x9F, 0xBF]),
      Row("U+E000, the first after them", [0xEE, 0x80, 0x80]),
      Row("U+FFFF, the last of three", [0xEF, 0xBF, 0xBF]),
      Row("U+10000, the first of four", [0xF0, 0x90, 0x80, 0x80]),
      Row("U+10FFFF, the last of all", [0xF4, 0x8F, 0xBF, 0xBF]),
      Row("a text of several words", Array("Is it so – or isn’t it? 🎱".utf8)),
    ])
  func valid(row: Row<[UInt8]>) { expect(isValid(row.value)) }

  @Test(
    "Invalid sequences are refused, alone and between ASCII",
    arguments: [
      Row("a continuation alone", [0x80]),
      Row("U+002F in two bytes", [0xC0, 0xAF]),
      Row("U+007F in two bytes", [0xC1, 0xBF]),
      Row("U+07FF in three bytes", [0xE0, 0x9F, 0xBF]),
      Row("U+FFFF in four bytes", [0xF0, 0x8F, 0xBF, 0xBF]),
      Row("U+D800, the first surrogate", [0xED, 0xA0, 0x80]),
      Row("U+DFFF, the last surrogate", [0xED, 0xBF, 0xBF]),
      Row("U+110000", [0xF4, 0x90, 0x80, 0x80]),
      Row("a lead of five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80]),
      Row("0xFE", [0xFE]), Row("0xFF", [0xFF]),
      Row("a lead, then ASCII", [0xC3, 0x28]),
      Row("a lead, then a lead", [0xE2, 0xE2, 0x80, 0x99]),
      Row("one continuation too many", [0xC3, 0xA9, 0xA9]),
    ])
  func invalid(row: Row<[UInt8]>) {
    expect(!isValid(row.value))
    // At each position, as the reader takes eight ASCII bytes at a time.
    for length in 1...17 {
      let ascii = [UInt8](repeating: 0x61, count: length)
      expect(!isValid(ascii + row.value + ascii), "behind \(length) bytes")
    }
  }

  @Test("A character that is not ASCII is checked at every position of up to 40 bytes")
  func oneByte() {
    for length in 0...40 {
      let ascii = [UInt8](repeating: 0x7F, count: length)
      expect(isValid(ascii))
      for position in 0..<length {
        var bytes = ascii
        bytes[position] = 0x80
        if isValid(bytes) { Issue.record("0x80 at \(position) of \(length)") }
        guard position + 1 < length else { continue }
        bytes[position] = 0xC2
        bytes[position + 1] = 0x80
        if !isValid(bytes) { Issue.record("U+0080 at \(position) of \(length)") }
      }
    }
  }

  @Test("A sequence that is cut short is refused", arguments: ["é", "–", "🎱"])
  func cut(text: String) {
    for cut in truncations(of: Array(text.utf8)).dropFirst() {
      expect(!isValid(cut) && !isValid(Array("12345678".utf8) + cut))
    }
  }

  @Test("Every sequence of one or two bytes is judged as by the standard library")
  func exhaustive() {
    for first in UInt8.min...UInt8.max {
      expect(isValid([first]), is: isValidString([first]))
      for second in UInt8.min...UInt8.max {
        let bytes = [first, second]
        if isValid(bytes) != isValidString(bytes) { Issue.record("\(bytes)") }
      }
    }
  }

  @Test("Random bytes are judged as by the standard library")
  func random() {
    let likely: [UInt8] = [
      0x00, 0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xE1, 0xED,
      0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    var random = FixedRandom(seed: 8)
    var validCount = 0
    for _ in 0..<100_000 {
      let length = Int.random(in: 0...12, using: &random)
      let bytes = (0..<length).map { _ in
        Int.random(in: 0..<4, using: &random) == 0
          ? UInt8.random(in: 0...255, using: &random) : likely.randomElement(using: &random) ?? 0
      }
      let expected = isValidString(bytes)
      if expected { validCount += 1 }
      if isValid(bytes) != expected { Issue.record("\(bytes)") }
    }
    expect(validCount > 5_000, "too few of the sequences are valid")
  }
}
