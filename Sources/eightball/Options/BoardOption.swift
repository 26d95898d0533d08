import Boards
import LinuxBoard
import LinuxSystem

/// Which board the ball is on, and which fields of its file are overridden.
struct BoardOptions {
  /// The name of a board or its file; `nil` for this machine's.
  var board: String?
  /// The overridden fields.
  var set: [BoardSetting] = []

  /// Adds the value of a `--set`.
  mutating func add(_ value: OptionValue) throws(UsageError) {
    do throws(BoardError) {
      set.append(try BoardSetting(value.text))
    } catch {
      throw value.invalid(": \(error.problem)")
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
