import ArgumentParser
import Boards
import LinuxBoard

/// Which board the ball is on, and what is to be other than its file says.
struct BoardOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The board with the ball's buttons and lights: see eightball boards. Unless given, the one "
        + "for the model in the device tree, if any. none stands for no board, or for one that --set "
        + "describes from nothing.",
      valueName: "name|file"))
  var board: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Overrides one field of the board's file, such as shake.line=GPIO23; answer=none removes that "
        + "light. May be given several times.",
      valueName: "field=value"),
    transform: { text in
      do throws(BoardError) {
        return try BoardSetting(text)
      } catch {
        throw ValidationError(error.problem)
      }
    })
  var set: [BoardSetting] = []
}

/// The board that a command was told to use, or that it is on.
struct ChosenBoard {
  /// What it is like; `nil` if there is none.
  var description: BoardDescription?
  /// The models in its file.
  var models: [String] = []
  /// Why this one, or why none, as a sentence without its full stop; `nil` if the command line named it,
  /// or asked for none.
  var reason: String?

  /// Looks for the board.
  ///
  /// - Parameter model: what the device tree says that this machine is.
  /// - Throws: `BoardError`: what is wrong with what was asked for, or with this machine's file.
  init(
    _ options: BoardOptions, catalog: BoardCatalog = BoardCatalog(),
    model: String? = DeviceTree.model
  ) throws(BoardError) {
    if options.board == BoardDescription.noBoard.description {
      if !options.set.isEmpty {
        description = try BoardDescription(describedBy: options.set)
        reason = "--set describes it"
      }
      return
    }
    if let text = options.board {
      try take(catalog.entry(text))
    } else if let model {
      let entries = catalog.entries()
      if let entry = try entries.matching(model: model) {
        try take(entry)
        reason = "this is a \(model)"
      } else if entries.isEmpty {
        reason = catalog.nothingFound
      } else {
        reason = "no board file tells of a \(model)"
      }
    } else {
      reason = "this machine has no device tree to tell of one"
    }
    guard !options.set.isEmpty else { return }
    guard description != nil else {
      throw BoardError(
        "--set",
        "there is no board to change: expected --board with it, or --board none to describe one "
          + "from nothing")
    }
    try description?.apply(options.set)
  }

  private mutating func take(_ entry: BoardCatalog.Entry) throws(BoardError) {
    description = try entry.board.get()
    models = entry.models ?? []
  }

  /// Says which it is, and why.
  var sentence: String {
    let because = reason.map { " (\(printable($0)))" } ?? ""
    guard let description else {
      return reason == nil ? "Board: none." : "Board: none\(because); \(BoardCatalog.howToName)."
    }
    return "Board: \(printable("\(description.name)"))\(because)."
  }
}
