import ArgumentParser
import Glibc
import LinuxBoard
import LinuxSystem

/// Presses a button of a virtual board.
struct Press: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Press a button of the ball that runs on the virtual board.",
    discussion: """
      The ball is one of this user's, started with eightball run --board virtual.

      EXAMPLES
        eightball press shake
        eightball press clear --hold 3s

      EXIT STATUS
        0   the button was pressed, and is up again
        1   something unexpected
        64  the command line is wrong
        69  no ball runs on the virtual board, or the button is missing or held down
      """)

  /// The buttons.
  enum Button: String, ExpressibleByArgument, CaseIterable {
    case shake
    case clear
  }

  @Argument(help: "shake or clear.")
  var button: Button

  @Option(
    name: .long,
    help: ArgumentHelp("How long to hold it, such as 3s or 250ms.", valueName: "time"),
    transform: { try TimeOption($0, upTo: BoardControl.longestPress) })
  var hold = TimeOption(milliseconds: 100)

  func run() throws {
    try askBoard("press \(button.rawValue) \(hold.milliseconds)") { $0 == "ok" ? () : nil }
    // Until it is up and at rest, so that the next press is one.
    poll(nil, 0, CInt(hold.milliseconds + 50))
    Terminal.print("Pressed \(button.rawValue) for \(hold).")
  }
}

/// Asks the virtual board, and ends the program well if there is none, or if it refuses.
///
/// - Parameter read: What an answer means; `nil` if it means nothing.
func askBoard<Meaning>(_ request: String, read: (String) -> Meaning?) throws -> Meaning {
  let answer: String
  do throws(SystemError) {
    answer = try BoardControl.ask(request)
  } catch {
    switch error.code {
    case .noSuchFile, .connectionRefused:
      Terminal.note(
        "Error: no ball runs on the virtual board. Start one: eightball run --board virtual")
    default:
      Terminal.note("Error: \(sentence(error.description))")
    }
    throw ExitStatus.unavailable
  }
  if let meaning = read(answer) { return meaning }
  let refusal = "error "
  guard answer.hasPrefix(refusal) else {
    Terminal.note("Error: the virtual board answers: \(sentence(printable(answer)))")
    throw ExitStatus.unexpected
  }
  Terminal.note("Error: \(sentence(printable(String(answer.dropFirst(refusal.count)))))")
  throw ExitStatus.unavailable
}

extension ExitStatus {
  /// There is nobody to ask, or no such thing to ask for: EX_UNAVAILABLE.
  static let unavailable = ExitCode(69)
}
