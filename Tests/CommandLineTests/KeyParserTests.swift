import Testing

@testable import eightball

@Suite("Keys")
struct KeyParserTests {
  struct Typed: CustomTestStringConvertible {
    let what: String
    let bytes: String
    let keys: String
    var testDescription: String { what }

    init(_ what: String, _ bytes: String, _ keys: String = "") {
      self.what = what
      self.bytes = bytes
      self.keys = keys
    }
  }

  static let typed = [
    Typed("letters", "scCq", "scCq"),
    Typed("arrows", "\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D"),
    Typed("arrows of an application's keypad", "\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD"),
    Typed("a letter, an arrow, a letter", "s\u{1B}[Cc", "sc"),
    Typed("an arrow with Control", "\u{1B}[1;5C"),
    Typed("Delete and Page Up", "\u{1B}[3~\u{1B}[5~s", "s"),
    Typed("F1 and F3 of xterm", "\u{1B}OP\u{1B}OR"),
    Typed("F3 of Linux's console", "\u{1B}[[Cs", "s"),
    Typed("an arrow with Alt, as some send it", "\u{1B}\u{1B}[Cs", "s"),
    Typed("a letter with Alt", "\u{1B}cs", "s"),
    Typed("a sequence that another one cuts off", "\u{1B}[1;\u{1B}[Cs", "s"),
  ]

  @Test("Only keys that are characters count", arguments: typed)
  func keys(_ typed: Typed) {
    // The parser takes single bytes, so how they are divided into reads does not matter.
    var parser = KeyParser()
    var keys = ""
    for byte in typed.bytes.utf8 {
      if let key = parser.key(byte) { keys.unicodeScalars.append(key) }
    }
    #expect(keys == typed.keys)
  }
}
