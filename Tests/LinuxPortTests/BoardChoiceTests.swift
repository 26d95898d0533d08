import EightBall
import Expectations
import Linux
import LinuxPort
import LinuxTestSupport

@testable import eightballd

@Suite("Boards of eightballd")
struct BoardChoiceTests {
  @Test(
    "A board is chosen by the command line, or by the machine's model",
    arguments: table(
      """
       |  | Board: none (no device tree); --board chooses one: see eightball boards.
       | Raspberry Pi 4 Model B Rev 1.4 | Board: pi-4b (this is a Raspberry Pi 4 Model B Rev 1.4).
       | Orange Pi | Board: none (no known board is a Orange Pi); --board chooses one: see eightball boards.
      --board pi-5 | Raspberry Pi 4 Model B | Board: pi-5.
      --board=none | Raspberry Pi 4 Model B | Board: none.
      --board=none --set=chip=x --set=shake.line=GPIO5 |  | Board: custom.
      """))
  func choice(row: [String]) throws {
    let board = try choose(words(row[0]), row[1])
    expect(text { board.write(to: &$0) }, is: row[2])
  }

  @Test("--set changes a board")
  func settings() throws {
    let board = try choose(
      ["--board", "pi-4b", "--set", "shake.line=GPIO23", "--set", "answer=none"], "")
    expect(board.description?.shake?.name, is: "GPIO23")
    expect(board.description?.shake?.offset, is: 23)
    expect(board.description?.answer, is: nil)
    expect(board.description?.clear?.name, is: "GPIO25")
  }

  @Test("A board is read from a file, and has its name")
  func file() throws {
    let folder = try TemporaryDirectory()
    try folder.write("# mine\nchip = x\nshake.line = GPIO5\nradio = hci1\n", to: "den.conf")
    let path = "\(folder.path)/den.conf"
    let board = try choose(["--board", path, "--set", "answer.line=GPIO6"], "")
    expect(board.description?.name, is: "den")
    expect(board.description?.shake?.offset, is: 5)
    expect(board.description?.answer?.offset, is: 6)
    expect(text { board.write(to: &$0) }, is: "Board: den.")
    let radio = try RadioSelection(nil, boards: board.description?.radio)
    expect(text { radio.write(to: &$0) }, is: "Radio: hci1 (the board says so).")
  }

  @Test(
    "An error in a file has its line and its field",
    arguments: table(
      """
      chip = x¶shake.offset = five¶ | :2: shake.offset: expected a whole number from 0 to 1023, not "five"
      # nothing¶ | : the file has no fields: expected settings such as shake.line=GPIO23
      chip = x¶¶chip = y¶ | :3: chip: expected once, but line 1 already has it
      """))
  func wrongFile(row: [String]) throws {
    let folder = try TemporaryDirectory()
    try folder.write(row[0].replacing("¶", with: "\n"), to: "b.conf")
    let path = "\(folder.path)/b.conf"
    expect(complaint(about: ["--board", path]), is: path + row[1])
  }

  @Test(
    "An error says what is wrong",
    arguments: table(
      """
      --board pi-9 | --board pi-9: expected pi-1, pi-1-plus, pi-2b, pi-3a-plus, pi-3b, pi-400, pi-4b, pi-5, \
      pi-500, pi-cm4, pi-cm5, pi-zero, pi-zero-2-w, none, or a file such as ./my-board.conf
      --board /nowhere/b.conf | /nowhere/b.conf: cannot read the board's file: No such file or directory
      --board /dev/zero | /dev/zero: expected at most 8192 bytes
      --board / | /: cannot read the board's file: Is a directory
      --board virtual | the virtual board is not in eightballd: eightball run --board virtual has it
      --set answer=none | --set: there is no board to change: add --board
      --board pi-4b --set shake.line=BUTTON | --set shake.line=BUTTON: expected its offset too, such as \
      shake.offset=23, since its name does not give it
      """))
  func wrong(row: [String]) { expect(complaint(about: words(row[0])), is: row[1]) }

  @Test(
    "The board has a radio, which --radio overrides",
    arguments: table(
      """
      --board pi-4b | Radio: hci0 (the board says so).
      --board pi-4b --set radio=hci2 | Radio: hci2 (the board says so).
      --board pi-4b --radio hci1 | Radio: hci1.
       | Radio: hci0 (neither --radio nor the board names another).
      --radio tcp-server:_:9000 | Radio: tcp-server:_:9000; waiting for a controller to connect.
      """))
  func radio(row: [String]) throws {
    let list = words(row[0])
    let options = try Options(arguments(list))
    let radio = try RadioSelection(options.radio, boards: choose(list, "").description?.radio)
    expect(text { radio.write(to: &$0) }, is: row[1])
  }

  private func choose(_ list: [String], _ model: String) throws -> BoardChoice {
    try BoardChoice(
      Options(arguments(list)), model: BoardText(Array(model.utf8).span) ?? BoardText())
  }
}
