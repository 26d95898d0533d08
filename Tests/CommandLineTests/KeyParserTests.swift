import Expectations

@testable import eightball

@Suite("Keys")
struct KeyParserTests {
  /// What is typed, its bytes, and the keys that count.
  static let typed = [
    ("letters", "scCq", "scCq"),
    ("arrows", "\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", ""),
    ("arrows of an application's keypad", "\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD", ""),
    ("a letter, an arrow, a letter", "s\u{1B}[Cc", "sc"),
    ("an arrow with Control", "\u{1B}[1;5C", ""),
    ("Delete and Page Up", "\u{1B}[3~\u{1B}[5~s", "s"),
    ("F1 and F3 of xterm", "\u{1B}OP\u{1B}OR", ""),
    ("F3 of Linux's console", "\u{1B}[[Cs", "s"),
    ("an arrow with Alt, as some send it", "\u{1B}\u{1B}[Cs", "s"),
    ("a letter with Alt", "\u{1B}cs", "s"),
    ("a sequence that another one cuts off", "\u{1B}[1;\u{1B}[Cs", "s"),
  ]

  @Test("Only keys that are characters count", arguments: typed)
  func keys(what: String, bytes: String, expected: String) {
    // The parser takes single bytes, so how they are divided into reads does not matter.
    var parser = KeyParser()
    var keys = ""
    for byte in bytes.utf8 {
      if let key = parser.key(byte) { keys.unicodeScalars.append(key) }
    }
    expect(keys, is: expected, "\(what)")
  }
}
