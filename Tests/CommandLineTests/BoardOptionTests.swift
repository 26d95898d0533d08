import Boards
import LinuxBoard
import Testing

@testable import eightball

@Suite("Choosing a board")
struct BoardOptionTests {
  private func choose(_ arguments: [String], model: String?) throws -> ChosenBoard {
    try ChosenBoard(try Doctor.parse(arguments).boardOptions, model: model)
  }

  @Test("The board is named, or found by the device tree, or missing; the line says why")
  func choice() throws {
    let named = try choose(["--board", "pi-5"], model: "Raspberry Pi 4 Model B Rev 1.4")
    #expect(named.description?.name == "pi-5")
    #expect(named.sentence == "Board: pi-5.")

    let found = try choose([], model: "Raspberry Pi 4 Model B Rev 1.4")
    #expect(found.description?.name == "pi-4b")
    #expect(found.sentence == "Board: pi-4b (this is a Raspberry Pi 4 Model B Rev 1.4).")

    let other = try choose([], model: "Toaster")
    #expect(other.description == nil)
    #expect(
      other.sentence
        == "Board: none (no known board is a Toaster); --board chooses one: see eightball boards.")

    let none = try choose([], model: nil)
    #expect(none.description == nil)
    #expect(
      none.sentence
        == "Board: none (no device tree); --board chooses one: see eightball boards.")
  }

  @Test("--set overrides single fields; without a board it is refused")
  func settings() throws {
    let board = try choose(
      ["--board", "virtual", "--set", "shake.line=GPIO23", "--set", "answer=none"], model: nil)
    #expect(board.description?.shake?.offset == 23)
    #expect(board.description?.answer == nil)
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
    #expect(none.description == nil)
    #expect(none.sentence == "Board: none.")

    let described = try choose(
      ["--board", "none", "--set", "chip=c", "--set", "shake.line=GPIO23"],
      model: "Raspberry Pi 4 Model B Rev 1.4")
    #expect(
      described.description
        == BoardDescription(
          name: "custom", chip: "c",
          shake: LineDescription(
            name: "GPIO23", offset: 23, activeLow: true, bias: .pullUp, debounceMilliseconds: 20)))
    #expect(described.models == [])
    #expect(described.sentence == "Board: custom (--set describes it).")

    #expect(
      throws: BoardError(
        "--set shake.line=GPIO23", "the board has no chip: expected chip=LABEL too")
    ) { try choose(["--board", "none", "--set", "shake.line=GPIO23"], model: nil) }
  }
}
