import BluetoothHost
import Expectations

@testable import EightBall

@Suite("Settings of a board, as bytes")
struct BoardChangeTests {
  /// What is wrong with a setting; `nil` if it is valid.
  private func fault(_ bytes: [UInt8]) -> BoardSettingError? {
    do throws(BoardSettingError) {
      var changes = BoardChanges()
      try changes.add(bytes.span, at: 0)
      return nil
    } catch {
      return error
    }
  }

  private func message(
    _ fault: BoardSettingError, of setting: [UInt8] = [], capacity: Int = 512
  ) -> String {
    var bytes = [UInt8](repeating: 0, count: capacity)
    var writer = ByteWriter(bytes.mutableSpan)
    fault.write(to: &writer, of: setting.span)
    let (count, hasOverflowed) = (writer.count, writer.hasOverflowed)
    expect(!hasOverflowed)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  @Test("Each field is read up to its limits")
  func limits() throws {
    let name = String(repeating: "x", count: 31)
    let radio = String(repeating: "é", count: 127) + "e"
    let right = [
      "chip=\(name)", "shake.line=\(name)", "radio=\(radio)", "answer.offset=1023",
      "clear.debounce=1000", "status.offset=0", "shake.offset=007", "status.bias=none",
      "status=none",
    ]
    for text in right { expect(fault(Array(text.utf8)), is: nil, "\(text)") }
    let wrong: [(String, BoardSettingError)] = [
      ("chip=\(name)x", .wrongValue(.chip)), ("chip=", .wrongValue(.chip)),
      ("shake.line=\(name)x", .wrongValue(.line)), ("shake.line=a\"b", .wrongValue(.line)),
      ("shake.line=a\\b", .wrongValue(.line)), ("shake.line=é", .wrongValue(.line)),
      ("radio=\(radio)e", .wrongValue(.radio)), ("radio=", .wrongValue(.radio)),
      ("answer.offset=1024", .wrongValue(.offset)), ("answer.offset=-1", .wrongValue(.offset)),
      ("answer.offset=", .wrongValue(.offset)),
      ("answer.offset=99999999999999999999", .wrongValue(.offset)),
      ("clear.debounce=1001", .wrongValue(.debounce)), ("clear.active=LOW", .wrongValue(.active)),
      ("status.bias=pull", .wrongValue(.bias)), ("status.debounce=5", .unknownField),
      ("status.chip=c", .unknownField), ("models=a", .unknownField), ("shake.=a", .unknownField),
      (".line=a", .unknownField), ("=", .unknownField), ("shake.line.x=a", .unknownField),
      ("status=off", .notNone(.status)), ("status", .noValue), ("", .noValue),
    ]
    for (text, expected) in wrong { expect(fault(Array(text.utf8)), is: expected, "\(text)") }
  }

  @Test("Any bytes are read or refused, and messages show them as UTF-8 that controls no terminal")
  func anyBytes() {
    let setting: [UInt8] = [0x1B, 0x5B, 0xC2, 0x9B, 0xC3, 0xA9, 0xFF, 0xE2, 0x82, 0x7F, 0x3D, 0x31]
    expect(fault(setting), is: .unknownField)
    // ESC, U+009B and DEL are control codes; FF is not UTF-8, and E2 82 lacks its third byte.
    let shown = "\u{FFFD}[\u{FFFD}é\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"
    expect(message(.unknownField, of: setting).hasPrefix("unknown field \"\(shown)\": expected"))
    let long = Array(String(repeating: "é", count: 61).utf8)
    expect(
      message(.unknownField, of: long).hasPrefix(
        "unknown field \"\(String(repeating: "é", count: 60))…\": expected"))
    for byte in UInt8.min...UInt8.max {
      for text in [[byte], [byte, 0x3D], Array("shake.line=".utf8) + [byte]] {
        if let fault = fault(text) { _ = message(fault, of: text) }
      }
    }
  }

  @Test("A message that does not fit is cut, and nothing is written beyond its buffer")
  func cut() {
    let whole = message(.noOffset(.shake))
    for capacity in 0...whole.utf8.count {
      expect(
        message(.noOffset(.shake), capacity: capacity),
        is: String(decoding: whole.utf8.prefix(capacity), as: UTF8.self))
    }
  }

  @Test("A wrong setting leaves the board unchanged")
  func unchanged() throws {
    var changes = BoardChanges()
    try changes.add("shake.line=GPIO2".utf8.span, at: 0)
    let before = changes.board
    for text in ["shake.line=", "shake.bias=up", "shake=off", "chip=", "shake.chip=c", "x=none"] {
      #expect(throws: BoardSettingError.self) { try changes.add(text.utf8.span, at: 1) }
      expect(changes.board, is: before)
    }
  }

  @Test("An error has the caller's index of the setting")
  func index() throws {
    let settings: [(Int, String, BoardSettingError)] = [
      (7, "shake.line=A", .noOffset(.shake)), (9, "clear.offset=3", .noLine(.clear)),
    ]
    for (index, text, fault) in settings {
      var changes = BoardChanges(to: BoardDescription(name: "b"))
      try changes.add("chip=c".utf8.span, at: 5)
      try changes.add(text.utf8.span, at: index)
      try changes.add("radio=hci0".utf8.span, at: 11)
      #expect(throws: BoardChangeError(index: index, cause: fault)) { try changes.complete() }
    }
  }

  @Test("Changes describe a board from nothing")
  func describe() throws {
    var changes = BoardChanges()
    try changes.complete()
    expect(changes.board, is: BoardDescription(name: "none"))
    try changes.add("radio=hci1".utf8.span, at: 0)
    try changes.complete()
    expect(changes.board, is: BoardDescription(name: "custom", radio: "hci1"))
    try changes.add("shake.line=GPIO2".utf8.span, at: 1)
    #expect(throws: BoardChangeError(index: 1, cause: .noChip)) { try changes.complete() }
    try changes.add("chip=c".utf8.span, at: 2)
    try changes.complete()
    expect(
      changes.board,
      is: BoardDescription(
        name: "custom", chip: "c",
        shake: LineDescription(
          name: "GPIO2", offset: 2, activeLow: true, bias: .pullUp, debounceMilliseconds: 20),
        radio: "hci1"))
  }

  @Test("A text that is too long is refused, and a literal is cut")
  func text() {
    expect(BoardText<3>([1, 2, 3].span) != nil)
    expect(BoardText<3>([1, 2, 3, 4].span), is: nil)
    let text: BoardText<3> = "abcd"
    expect(text, is: "abc")
    expect(text != "ab")
    expect(BoardText<3>().isEmpty)
  }
}
