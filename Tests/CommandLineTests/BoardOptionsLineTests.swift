import Boards
import LinuxBoard
import Testing

@testable import eightball

@Suite("The options that describe a board")
struct BoardOptionsLineTests {
  /// A board with `line` for its shake button.
  private static func board(line: LineName, radio: RadioText? = nil) -> BoardDescription {
    BoardDescription(
      name: "b", chip: "my chip",
      shake: LineDescription(
        name: line, offset: 1_023, activeLow: false, bias: .pullDown, debounceMilliseconds: 1_000),
      answer: LineDescription(
        name: "GPIO7", offset: 8, activeLow: true, bias: .pullUp, debounceMilliseconds: 0),
      radio: radio)
  }

  @Test("They name each field of the board, in one line")
  func line() throws {
    let line = try BoardOptionsLine(try KnownBoard.named("pi-4b").board)
    #expect(
      line.text
        == "--board none --set chip=pinctrl-bcm2711 --set radio=hci0 --set shake.line=GPIO18 "
        + "--set shake.offset=18 --set shake.active=low --set shake.bias=pull-up "
        + "--set shake.debounce=20 --set clear.line=GPIO25 --set clear.offset=25 "
        + "--set clear.active=low --set clear.bias=pull-up --set clear.debounce=20 "
        + "--set status.line=GPIO12 --set status.offset=12 --set status.active=high "
        + "--set status.bias=none --set answer.line=GPIO16 --set answer.offset=16 "
        + "--set answer.active=high --set answer.bias=none")
  }

  @Test("Words that a shell would change are in single quotes")
  func quotes() throws {
    let line = try BoardOptionsLine(
      BoardDescription(name: "b", chip: "it's $HOME", radio: "serial:/dev/ttyS0,115200"))
    #expect(
      line.text
        == #"--board none --set 'chip=it'\''s $HOME' --set radio=serial:/dev/ttyS0,115200"#)
    #expect(try BoardOptionsLine(BoardDescription(name: "b")).text == "--board none")
  }

  @Test("Read back, they describe the same board")
  func readBack() throws {
    var boards = KnownBoard.shipped.map(\.board)
    #expect(boards.count == 14)
    boards += [
      Self.board(line: "A line; with words"), Self.board(line: "it's"), Self.board(line: "''"),
      Self.board(line: "$(x) `y` !z *", radio: "unix:/tmp/ü b"), Self.board(line: "="),
      Self.board(line: "a=b.c"), Self.board(line: "0123456789012345678901234567890"),
      BoardDescription(name: "b", chip: "c"), BoardDescription(name: "b", radio: "virtual"),
    ]
    for board in boards {
      let words = Self.words(try BoardOptionsLine(board).text)
      let options = try Doctor.parse(words).boardOptions
      var expected = board
      expected.name = "custom"
      #expect(try ChosenBoard(options, model: nil).description == expected)
    }
  }

  @Test("A radio with a quote, a backslash or a line feed is refused")
  func refused() {
    for radio: RadioText in ["unix:a\\b", "unix:a\"b", "unix:a\nb"] {
      #expect(
        throws: BoardError(
          "b", field: "radio",
          "an option cannot hold a double quote, a backslash or a control character: change the "
            + "radio")
      ) { try BoardOptionsLine(Self.board(line: "GPIO1", radio: radio)) }
    }
  }

  /// The words of a line by the POSIX shell's rules for quotes and backslashes: XCU, 2.2.
  private static func words(_ line: String) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var isEscaped = false
    for character in line {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "'" {
        isQuoted.toggle()
        word = word ?? ""
      } else if isQuoted {
        word = (word ?? "") + String(character)
      } else if character == "\\" {
        isEscaped = true
      } else if character == " " {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }
}
