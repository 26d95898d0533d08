import EightBall
import Expectations
import LinuxTestSupport

@testable import eightball

@Suite("Choosing a board")
struct BoardOptionTests {
  private func choose(_ arguments: [String], model: String?) throws -> ChosenBoard {
    try ChosenBoard(try Doctor.parse(arguments).boardOptions, model: model)
  }

  @Test("The board is named, or found by the device tree, or missing; the line says why")
  func choice() throws {
    let named = try choose(["--board", "pi-5"], model: "Raspberry Pi 4 Model B Rev 1.4")
    expect(named.description?.name, is: "pi-5")
    expect(named.sentence, is: "Board: pi-5.")

    let found = try choose([], model: "Raspberry Pi 4 Model B Rev 1.4")
    expect(found.description?.name, is: "pi-4b")
    expect(found.sentence, is: "Board: pi-4b (this is a Raspberry Pi 4 Model B Rev 1.4).")

    let other = try choose([], model: "Toaster")
    expect(other.description, is: nil)
    expect(
      other.sentence,
      is: "Board: none (no known board is a Toaster); --board chooses one: see eightball boards.")

    let none = try choose([], model: nil)
    expect(none.description, is: nil)
    expect(
      none.sentence, is: "Board: none (no device tree); --board chooses one: see eightball boards.")
  }

  @Test("--set overrides single fields; without a board it is refused")
  func settings() throws {
    let board = try choose(
      ["--board", "virtual", "--set", "shake.line=GPIO23", "--set", "answer=none"], model: nil)
    expect(board.description?.shake?.offset, is: 23)
    expect(board.description?.answer, is: nil)
    #expect(
      throws: BoardError(
        "--set",
        "there is no board to change: add --board, or --board none to describe a new board")
    ) { try choose(["--set", "answer=none"], model: nil) }
    #expect(throws: (any Error).self) { try choose(["--set", "answer"], model: nil) }
  }

  @Test(
    "--board none means no board on any machine; with --set it means the board that --set describes"
  )
  func fromNothing() throws {
    let none = try choose(["--board", "none"], model: "Raspberry Pi 4 Model B Rev 1.4")
    expect(none.description, is: nil)
    expect(none.sentence, is: "Board: none.")

    let described = try choose(
      ["--board", "none", "--set", "chip=c", "--set", "shake.line=GPIO23"],
      model: "Raspberry Pi 4 Model B Rev 1.4")
    expect(
      described.description,
      is: BoardDescription(name: "custom", chip: "c", shake: .button(23)))
    expect(described.models, is: [])
    expect(described.sentence, is: "Board: custom (--set describes it).")

    #expect(
      throws: BoardError(
        "--set shake.line=GPIO23", "the board has no chip: expected chip=LABEL too")
    ) { try choose(["--board", "none", "--set", "shake.line=GPIO23"], model: nil) }
  }
}

@Suite("The options that describe a board")
struct BoardOptionsLineTests {
  /// A board with `line` for its shake button.
  private static func board(line: LineName, radio: RadioText? = nil) -> BoardDescription {
    BoardDescription(
      name: "b", chip: "my chip",
      shake: .button(line, 1_023, activeLow: false, bias: .pullDown, debounce: 1_000),
      answer: .button("GPIO7", 8, debounce: 0),
      radio: radio)
  }

  @Test("They name each field of the board, in one line")
  func line() throws {
    let line = try BoardOptionsLine(try KnownBoard.named("pi-4b").board)
    expect(
      line.text,
      is: "--board none --set chip=pinctrl-bcm2711 --set radio=hci0 --set shake.line=GPIO18 "
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
    expect(
      line.text,
      is: #"--board none --set 'chip=it'\''s $HOME' --set radio=serial:/dev/ttyS0,115200"#)
    expect(try BoardOptionsLine(BoardDescription(name: "b")).text, is: "--board none")
  }

  @Test("Read back, they describe the same board")
  func readBack() throws {
    var boards = KnownBoard.shipped.map(\.board)
    expect(boards.count, is: 14)
    boards += [
      Self.board(line: "A line; with words"), Self.board(line: "it's"), Self.board(line: "''"),
      Self.board(line: "$(x) `y` !z *", radio: "unix:/tmp/ü b"), Self.board(line: "="),
      Self.board(line: "a=b.c"), Self.board(line: "0123456789012345678901234567890"),
      BoardDescription(name: "b", chip: "c"), BoardDescription(name: "b", radio: "virtual"),
      BoardDescription(
        name: "b", chip: "c",
        motion: MotionDescription(
          BusPart(.mpu6050, bus: 0, address: 0x69), line: .light("INT", 3), threshold: 8_000),
        display: BusPart(.hd44780, bus: 255)),
    ]
    for board in boards {
      let words = Self.words(try BoardOptionsLine(board).text)
      let options = try Doctor.parse(words).boardOptions
      var expected = board
      expected.name = "custom"
      expect(try ChosenBoard(options, model: nil).description, is: expected)
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
