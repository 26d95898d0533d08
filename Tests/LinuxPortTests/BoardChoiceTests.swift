import Boards
import Linux
import LinuxPort
import Testing

@testable import eightballd

@Suite("Boards of eightballd")
struct BoardChoiceTests {
  @Test(
    "A board is chosen by the command line, or by the machine's model",
    arguments: [
      (
        [], "",
        "Board: none (no device tree); --board chooses one: see eightball boards."
      ),
      (
        [], "Raspberry Pi 4 Model B Rev 1.4",
        "Board: pi-4b (this is a Raspberry Pi 4 Model B Rev 1.4)."
      ),
      (
        [], "Orange Pi",
        "Board: none (no known board is a Orange Pi); --board chooses one: see "
          + "eightball boards."
      ),
      (["--board", "pi-5"], "Raspberry Pi 4 Model B", "Board: pi-5."),
      (["--board=none"], "Raspberry Pi 4 Model B", "Board: none."),
      (["--board=none", "--set=chip=x", "--set=shake.line=GPIO5"], "", "Board: custom."),
    ])
  func choice(list: [String], model: String, sentence: String) throws {
    let board = try choose(list, model)
    #expect(text { board.write(to: &$0) } == sentence)
  }

  @Test("--set changes a board")
  func settings() throws {
    let board = try choose(
      ["--board", "pi-4b", "--set", "shake.line=GPIO23", "--set", "answer=none"], "")
    #expect(board.description?.shake?.name == "GPIO23")
    #expect(board.description?.shake?.offset == 23)
    #expect(board.description?.answer == nil)
    #expect(board.description?.clear?.name == "GPIO25")
  }

  @Test(
    "An error says what is wrong",
    arguments: [
      (
        ["--board", "pi-9"],
        "--board pi-9: expected pi-1, pi-1-plus, pi-2b, pi-3a-plus, pi-3b, pi-400, pi-4b, pi-5, "
          + "pi-500, pi-cm4, pi-cm5, pi-zero, pi-zero-2-w, none; for a file, see eightball boards --options FILE"
      ),
      (
        ["--board", "./b.conf"],
        "--board ./b.conf: eightballd reads no board files: give it what this "
          + "prints: eightball boards --options ./b.conf"
      ),
      (
        ["--board", "b.conf"],
        "--board b.conf: eightballd reads no board files: give it what this "
          + "prints: eightball boards --options b.conf"
      ),
      (
        ["--board", "virtual"],
        "the virtual board is not in eightballd: eightball run --board virtual "
          + "has it"
      ),
      (["--set", "answer=none"], "--set: there is no board to change: add --board"),
      (
        ["--board", "pi-4b", "--set", "shake.line=BUTTON"],
        "--set shake.line=BUTTON: expected its offset too, such as shake.offset=23, since its "
          + "name does not give it"
      ),
    ])
  func wrong(list: [String], words: String) {
    do {
      _ = try choose(list, "")
      Issue.record("\(list) was taken.")
    } catch let error as BoardChoiceError {
      #expect(text { error.write(to: &$0) } == words)
    } catch {
      Issue.record(error)
    }
  }

  @Test(
    "The board has a radio, which --radio overrides",
    arguments: [
      (["--board", "pi-4b"], "Radio: hci0 (the board says so)."),
      (["--board", "pi-4b", "--set", "radio=hci2"], "Radio: hci2 (the board says so)."),
      (["--board", "pi-4b", "--radio", "hci1"], "Radio: hci1."),
      ([], "Radio: hci0 (neither --radio nor the board names another)."),
      (
        ["--radio", "tcp-server:_:9000"],
        "Radio: tcp-server:_:9000; waiting for a controller to connect."
      ),
    ])
  func radio(list: [String], sentence: String) throws {
    let options = try Options(arguments(list))
    let radio = try RadioSelection(options.radio, boards: choose(list, "").description?.radio)
    #expect(text { radio.write(to: &$0) } == sentence)
  }

  private func choose(_ list: [String], _ model: String) throws -> BoardChoice {
    try BoardChoice(
      Options(arguments(list)), model: BoardText(Array(model.utf8).span) ?? BoardText())
  }
}
