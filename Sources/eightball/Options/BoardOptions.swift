import EightBall
import LinuxRadio

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
    _ options: BoardOptions, model: String? = KnownBoard.modelOfMachine
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

/// One line of options that describe a board to a program without board files: for a command line,
/// and for `EIGHTBALL_OPTIONS="…"` in the file of the service's settings.
struct BoardOptionsLine {
  /// The line, such as "--board none --set chip=pinctrl-bcm2711 --set shake.line=GPIO18 …".
  let text: String

  /// - Throws: `BoardError` if a shell or systemd would misread a value of the board.
  init(_ board: BoardDescription) throws(BoardError) {
    // The names of chips and lines have none of these.
    if let radio = board.radio?.description, radio.unicodeScalars.contains(where: Self.isMisread) {
      throw BoardError(
        "\(board.name)", field: "radio",
        "an option cannot hold a double quote, a backslash or a control character: change the radio"
      )
    }
    let options = board.settings.map { " --set \(Self.quoted($0))" }
    text = "--board \(BoardDescription.noBoard)" + options.joined()
  }

  private static func isMisread(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\"" || scalar == "\\"
  }

  /// `word` quoted as one word: for the POSIX shell (XCU, 2.2), and within double quotes in a file
  /// of settings (systemd.exec(5), EnvironmentFile=), whose value systemd splits by the same quotes
  /// (systemd.service(5), "Command lines").
  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      switch UInt8($0) {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        true
      default: "+,-./:=@_".utf8.contains($0)
      }
    }
    guard !isPlain else { return word }
    let parts = word.split(separator: "'" as Character, omittingEmptySubsequences: false)
    return "'\(parts.joined(separator: "'\\''"))'"
  }
}
