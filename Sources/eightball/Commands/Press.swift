#if Tools
import ArgumentParser
import Glibc
import LinuxBoard

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
#endif
