import ArgumentParser
import Boards
import LinuxBoard
import LinuxSystem

/// Which board the ball is on, and which fields of its file are overridden.
struct BoardOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The board with the ball's buttons and lights: see eightball boards. Default: the board for "
        + "the model in the device tree, if any. none means no board, or one that --set alone "
        + "describes.",
      valueName: "name|file"),
    completion: .board)
  var board: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Overrides one field of the board, such as shake.line=GPIO23; answer=none removes "
        + "that light. May be given several times.",
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

extension CompletionKind {
  /// The known boards, and board files.
  static var board: CompletionKind {
    .custom { _, _, prefix in
      let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
      let files = Files.names(in: folder.isEmpty ? "." : folder).map { folder + $0 }
      let boards = KnownBoard.shipped.map(\.name) + ["none"]
      return boards.sorted()
        + files.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".conf") }
    }
  }
}

/// The board that the command line names, or this machine's.
struct ChosenBoard {
  /// Its description; `nil` without a board.
  var description: BoardDescription?
  /// The models in its file.
  var models: [String] = []
  /// Why this board was chosen, or why none was: a sentence without its full stop. `nil` if the
  /// command line chose.
  var reason: String?

  /// Looks for the board.
  ///
  /// - Parameter model: This machine's model in the device tree; `nil` without a device tree.
  /// - Throws: `BoardError` if the options or the board's file are wrong.
  init(
    _ options: BoardOptions, model: String? = DeviceTree.model
  ) throws(BoardError) {
    if options.board == BoardDescription.noBoard.description {
      if !options.set.isEmpty {
        description = try BoardDescription(describedBy: options.set)
        reason = "--set describes it"
      }
      return
    }
    if let text = options.board {
      try take(KnownBoard.named(text))
    } else if let model {
      if let known = KnownBoard.matching(model: model) {
        take(known)
        reason = "this is a \(model)"
      } else {
        reason = "no known board is a \(model)"
      }
    } else {
      reason = "no device tree"
    }
    guard !options.set.isEmpty else { return }
    guard description != nil else {
      throw BoardError(
        "--set",
        "there is no board to change: add --board, or --board none to describe a new board")
    }
    try description?.apply(options.set)
  }

  private mutating func take(_ known: KnownBoard) {
    description = known.board
    models = known.models
  }

  /// Which board, and why, as a line.
  var sentence: String {
    let because = reason.map { " (\(printable($0)))" } ?? ""
    guard let description else {
      return reason == nil ? "Board: none." : "Board: none\(because); \(KnownBoard.howToName)."
    }
    return "Board: \(printable("\(description.name)"))\(because)."
  }
}
