import ArgumentParser
import Glibc

/// Presses a button of a running ball.
struct Press: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Press a button of the running ball.",
    discussion: """
      Start the ball with eightball run --board virtual; on a real board, with --allow-presses. \
      If this program ends early, the ball releases the button.

      EXAMPLES
        eightball press shake
        eightball press clear --hold 3s

      EXIT STATUS
        0   the button was pressed and released
        1   an unexpected failure
        64  the command line is wrong
        69  no ball runs, it has no such button, or the button is held down
      """)

  /// The buttons.
  enum ButtonArgument: String, ExpressibleByArgument, CaseIterable {
    case shake
    case clear
  }

  @Argument(help: "shake or clear.")
  var button: ButtonArgument

  @Option(
    name: .long,
    help: ArgumentHelp("How long to hold it, such as 3s or 250ms.", valueName: "time"),
    transform: { try TimeOption($0, upTo: 60_000) })
  var hold = TimeOption(milliseconds: 100)

  @OptionGroup var ball: ControlOption

  func run() throws {
    let conversation = try BallConversation(ball.paths)
    try conversation.request("down \(button.rawValue)")
    poll(nil, 0, CInt(hold.milliseconds))
    try conversation.request("up \(button.rawValue)")
    // Longer than the contact bounces, so that the next press counts.
    poll(nil, 0, 50)
    Terminal.print("Pressed \(button.rawValue) for \(hold).")
  }
}
