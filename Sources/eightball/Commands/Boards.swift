import EightBall
import Glibc
import LinuxPort
import LinuxRadio

/// Lists the boards.
struct Boards: Command {
  static let page = CommandPage(
    name: "boards",
    abstract: "List the known boards, and mark this machine's.",
    discussion: """
      A board names the lines of its buttons and lights, its motion sensor and display, and its \
      radio. The program contains those of the list. To describe another one, print a similar one with --file, change it, and name \
      the file with --board.

      --options prints the same description as options, in one line, for a command line or for \
      EIGHTBALL_OPTIONS="…" in /etc/default/eightball.

      EXAMPLES
        eightball boards
        eightball boards --json
        eightball boards --file pi-4b >my-board.conf
        eightball boards --options ./my-board.conf

      EXIT STATUS
        0   the boards are listed, or the board printed
        64  the command line is wrong
        74  the output cannot be written
        78  the board of --file or --options is wrong or unknown
      """)

  static var options: [ToolOption<Boards>] {
    [
      .value(OptionRow("--file", "<name|file>", "Print this board as a file, instead of the list."))
      { $0.file = $1.text },
      .value(
        OptionRow(
          "--options", "<name|file>",
          "Print the options that describe this board, instead of the list.")
      ) { $0.options = $1.text },
      .flag(.json) { $0.isJSON = true },
    ]
  }

  var file: String?
  var options: String?
  var isJSON = false

  func validate() throws(UsageError) {
    guard [file != nil, options != nil, isJSON].count(where: { $0 }) < 2 else {
      throw UsageError("Give one of --file, --options and --json.")
    }
  }

  func run() throws {
    if let file { return try print(file, of: "--file") { known throws(BoardError) in known.file } }
    if let options {
      return try print(options, of: "--options") { known throws(BoardError) in
        try BoardOptionsLine(known.board).text
      }
    }
    let model = KnownBoard.modelOfMachine
    let here = model.flatMap { KnownBoard.matching(model: $0) }
    let width = KnownBoard.shipped.map(\.name.count).max() ?? 0
    for known in KnownBoard.shipped {
      let isHere = known.name == here?.name
      if isJSON {
        Self.json(known, isHere: isHere)
      } else {
        Terminal.print(Self.line(known, width, isHere: isHere))
      }
    }
    if !isJSON, here == nil {
      Terminal.note(
        model.map { "This machine matches no board: it is a \(printable($0))." }
          ?? "This machine matches no board: it has no device tree.")
    }
  }

  /// Prints a text about the board `name`, which `option` names.
  private func print(
    _ name: String, of option: String, _ text: (KnownBoard) throws(BoardError) -> String
  ) throws {
    do throws(BoardError) {
      let text = try text(try KnownBoard.named(name, option: option))
      for line in text.split(separator: "\n") { Terminal.print(String(line)) }
    } catch {
      Terminal.note("Error: \(sentence(printable(error.description)))")
      throw ExitStatus.board
    }
  }

  /// `* pi-4b  Raspberry Pi 4 Model B`: a star marks this machine's board.
  static func line(_ known: KnownBoard, _ width: Int, isHere: Bool) -> String {
    let name = known.name + String(repeating: " ", count: max(0, width - known.name.count))
    let machines = known.models.isEmpty ? "any machine" : known.models.joined(separator: ", ")
    return "\(isHere ? "*" : " ") \(name)  \(machines)"
  }

  private static func json(_ known: KnownBoard, isHere: Bool) {
    var line = JSONLine(event: "board")
    line.add("name", known.name)
    line.add("models", texts: known.models)
    line.add("chip", known.board.chip?.description)
    line.add("shake", known.board.shake?.name.description)
    line.add("clear", known.board.clear?.name.description)
    line.add("status", known.board.status?.name.description)
    line.add("answer", known.board.answer?.name.description)
    line.add("motion", known.board[onBus: .motion]?.model.name.description)
    line.add("display", known.board[onBus: .display]?.model.name.description)
    line.add("radio", known.board.radioName?.description)
    line.add("here", isHere)
    line.print()
  }
}

/// Draws how a board is wired.
struct Wiring: Command {
  static let page = CommandPage(
    name: "wiring",
    abstract: "Draw the 40-pin header with a board's parts.",
    discussion: """
      Draws each wire from pin to pin: a button to ground, a light with its resistor, and the bus \
      of a motion sensor or a display. Default: this machine's board.

      EXAMPLES
        eightball wiring
        eightball wiring pi-4b
        eightball wiring ./my-board.conf
        eightball wiring pi-5 --set shake.line=GPIO23 --set answer=none
        eightball wiring pi-4b --set display.part=ssd1306 --set display.bus=i2c-1

      EXIT STATUS
        0   the header is drawn
        64  the command line is wrong
        74  the output cannot be written
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
