import Boards
import Glibc
import LinuxBoard
import LinuxPort
import LinuxSystem

/// Draws how a board is wired.
struct Wiring: Command {
  static let page = CommandPage(
    name: "wiring",
    abstract: "Draw the 40-pin header with a board's buttons and lights.",
    discussion: """
      Draws each wire from pin to pin: a button to ground, a light with its resistor. Default: \
      this machine's board.

      EXAMPLES
        eightball wiring
        eightball wiring pi-4b
        eightball wiring ./my-board.conf
        eightball wiring pi-5 --set shake.line=GPIO23 --set answer=none

      EXIT STATUS
        0   the header is drawn
        64  the command line is wrong
        78  a board's file is wrong, or there is no such board
      """,
    argument: .init(
      name: "name", isOptional: true, help: "The name of a board, or its file."))

  static var options: [ToolOption<Wiring>] {
    [
      .value(.board) { $0.options.board = $1.text },
      .value(.set) { try $0.options.add($1) },
    ]
  }

  var name: String?
  var options = BoardOptions()

  mutating func take(_ argument: String) throws(UsageError) {
    guard name == nil else {
      throw UsageError("Unexpected argument '\(printable(argument))'")
    }
    name = argument
  }

  func validate() throws(UsageError) {
    guard name == nil || options.board == nil else {
      throw UsageError("Name the board once: as the argument, or with --board.")
    }
  }

  func run() throws {
    var options = options
    options.board = name ?? options.board
    do throws(BoardError) {
      let board = try ChosenBoard(options)
      guard let description = board.description else {
        throw BoardError(
          "There is no board to draw",
          "\(board.reason ?? "--board none"); name one, such as eightball wiring pi-4b")
      }
      let isColored = Terminal.takesEscapes && CurrentProcess.environment("NO_COLOR") == nil
      try WiringDrawing.check(description)
      let drawing = WiringDrawing(description, models: board.models, isColored: isColored)
      for line in drawing.lines { Terminal.print(line) }
    } catch {
      Terminal.note("Error: \(sentence(printable(error.description)))")
      throw ExitStatus.board
    }
  }
}
