import ArgumentParser
import Boards
import LinuxBoard

/// Lists the boards.
struct Boards: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the known boards, and mark this machine's.",
    discussion: """
      A board's file names the lines of its buttons and lights, and its radio. The files are in \
      the folder boards beside the program or in its checkout, and in share/eightball/boards where \
      it is installed.

      The program eightballd reads no board files: --options prints the same description as \
      options, in one line, for a command line or for EIGHTBALL_OPTIONS="…" in \
      /etc/default/eightball.

      EXAMPLES
        eightball boards
        eightball boards --json
        eightball boards --options ./my-board.yml

      EXIT STATUS
        0   the boards are listed, or the options printed
        64  the command line is wrong
        78  a board's file is wrong or missing, or two match this machine
      """)

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Print the options that describe this board, instead of the list.", valueName: "name|file"),
    completion: .board)
  var options: String?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard options == nil || !output.json else {
      throw ValidationError("--options prints one line for a shell: leave out --json.")
    }
  }

  func run() throws {
    if let options { return try Self.printOptions(options) }
    let catalog = BoardCatalog()
    let model = DeviceTree.model
    let entries = catalog.entries()
    var errors: [BoardError] = []
    for case .failure(let error) in entries.map(\.board) { errors.append(error) }
    var here: BoardCatalog.Entry?
    var isKnown = true
    do throws(BoardError) {
      if let model { here = try entries.matching(model: model) }
    } catch {
      isKnown = false
      if !errors.contains(error) { errors.append(error) }
    }
    guard !entries.isEmpty else {
      Terminal.note("Error: \(sentence(catalog.nothingFound))")
      throw ExitStatus.board
    }
    let width = entries.map(\.name.count).max() ?? 0
    for entry in entries {
      let isHere = entry.name == here?.name
      if output.json {
        Self.json(entry, isHere: isHere)
      } else if case .success = entry.board {
        Terminal.print(Self.line(entry, width, isHere: isHere))
      }
    }
    if !output.json, isKnown, here == nil {
      Terminal.note(
        model.map { "This machine matches no board: it is a \(printable($0))." }
          ?? "This machine matches no board: it has no device tree.")
    }
    for error in errors { Terminal.note("Error: \(sentence(printable(error.description)))") }
    if !errors.isEmpty { throw ExitStatus.board }
  }

  private static func printOptions(_ name: String) throws {
    do throws(BoardError) {
      let entry = try BoardCatalog().entry(name, option: "--options")
      Terminal.print(try BoardOptionsLine(try entry.board.get()).text)
    } catch {
      Terminal.note("Error: \(sentence(printable(error.description)))")
      throw ExitStatus.board
    }
  }

  /// `* pi-4b  Raspberry Pi 4 Model B`: a star marks this machine's board.
  static func line(_ entry: BoardCatalog.Entry, _ width: Int, isHere: Bool) -> String {
    let name = entry.name + String(repeating: " ", count: max(0, width - entry.name.count))
    let models = entry.models ?? []
    let machines = models.isEmpty ? "any machine" : models.joined(separator: ", ")
    return "\(isHere ? "*" : " ") \(name)  \(machines)"
  }

  private static func json(_ entry: BoardCatalog.Entry, isHere: Bool) {
    var line = JSONLine(event: "board")
    line.add("name", entry.name)
    line.add("path", entry.path)
    switch entry.board {
    case .success(let board):
      line.add("models", plain: entry.models ?? [])
      line.add("chip", board.chip?.description)
      line.add("shake", board.shake?.name.description)
      line.add("clear", board.clear?.name.description)
      line.add("status", board.status?.name.description)
      line.add("answer", board.answer?.name.description)
      line.add("radio", board.radioName?.description)
    case .failure(let error):
      line.add("error", error.description)
    }
    line.add("here", isHere)
    line.print()
  }
}
