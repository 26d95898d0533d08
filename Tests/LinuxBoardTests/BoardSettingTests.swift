import EightBall
import Expectations
import LinuxTestSupport

@testable import LinuxBoard
import LinuxRadio

@Suite("Board settings")
struct BoardSettingTests {
  /// A board with a shake button and a status light.
  static let board = BoardDescription(
    name: "b", chip: "chip",
    shake: .button(18),
    status: .light(12))

  private func changed(_ texts: [String]) throws(BoardError) -> BoardDescription {
    var board = Self.board
    var settings: [BoardSetting] = []
    for text in texts { settings.append(try BoardSetting(text)) }
    try board.apply(settings)
    return board
  }

  @Test("Every field can be set")
  func every() throws {
    let board = try changed([
      "chip=virtual", "radio=hci1", "shake.line=X", "shake.offset=3", "shake.active=high",
      "shake.bias=pull-down", "shake.debounce=5",
    ])
    expect(
      board,
      is: BoardDescription(
        name: "b", chip: "virtual",
        shake: .button("X", 3, activeLow: false, bias: .pullDown, debounce: 5),
        status: Self.board.status, radio: "hci1"))
    expect(board.isVirtual)
    expect(board.radioName, is: .adapter(1))
  }

  @Test(
    "A name implies the offset, and an offset the name",
    arguments: [
      (["shake.line=GPIO23"], "GPIO23", 23),
      (["shake.offset=24"], "GPIO24", 24),
      (["shake.line=GPIO23", "shake.offset=4"], "GPIO23", 4),
      (["shake.offset=4", "shake.line=SDA1"], "SDA1", 4),
      (["shake.line=GPIO23", "shake.line=GPIO24"], "GPIO24", 24),
      (["shake=none", "shake.line=GPIO18"], "GPIO18", 18),
    ] as [([String], String, Int)])
  func nameAndOffset(texts: [String], name: String, offset: Int) throws {
    let board = try changed(texts)
    expect(board.shake?.name.description, is: name)
    expect(board.shake?.offset, is: offset)
  }

  @Test("A button or light can be added and removed")
  func addAndRemove() throws {
    let board = try changed(["shake=none", "clear.line=GPIO5", "answer.line=GPIO6"])
    expect(board.shake, is: nil)
    expect(board.clear, is: .button(5))
    expect(board.answer, is: .light(6))
  }

  @Test("Two parts may swap their lines")
  func swapped() throws {
    let board = try changed(["shake.line=GPIO12", "status.line=GPIO18"])
    expect(board.shake?.offset, is: 12)
    expect(board.status?.offset, is: 18)
  }

  static let wrong = table(
    """
    shake | expected NAME=VALUE, such as shake.line=GPIO23
    shake=GPIO23 | expected shake=none to do without it, or a field of it, such as shake.line=GPIO23
    shook.line=GPIO23 | unknown field "shook.line": expected chip, radio, or one of shake, clear, status and \
    answer with .line, .offset, .active, .bias or .debounce
    shake.offset=1024 | expected a whole number from 0 to 1023
    shake.active=1 | expected high or low
    shake.bias=up | expected pull-up, pull-down or none
    shake.debounce=x | expected a whole number of milliseconds from 0 to 1000
    radio=x | expected a radio: \(RadioAddress.forms)
    shake.line=SDA1 | expected its offset too, such as shake.offset=23, since its name does not give it
    clear.offset=5 | the board has no clear: expected its line too, such as clear.line=GPIO23
    shake.line=GPIO12 | status.line: expected a line of its own, not that of shake
    """)

  @Test("Wrong settings are refused", arguments: wrong)
  func refuses(row: [String]) {
    let error = #expect(throws: BoardError.self) { try changed([row[0]]) }
    expect(error?.description, is: "--set \(row[0]): \(row[1])")
  }

  @Test("A board without a chip needs one with its first line")
  func chip() throws {
    var board = BoardDescription(name: "b")
    #expect(
      throws: BoardError("--set shake.line=GPIO5", "the board has no chip: expected chip=LABEL too")
    ) { try board.apply([BoardSetting("shake.line=GPIO5")]) }
    expect(board, is: BoardDescription(name: "b"))
    try board.apply([BoardSetting("shake.line=GPIO5"), BoardSetting("chip=c")])
    expect(board.chip, is: "c")
  }
}
