import BallControl
import Glibc
import LinuxPort

/// Presses a button of a running ball.
struct Press: Command {
  static let page = CommandPage(
    name: "press",
    abstract: "Press a button of the running ball.",
    discussion: """
      Start the ball with eightball run --board virtual; on a real board, with --allow-remote-buttons. \
      If this program ends early, the ball releases the button.

      EXAMPLES
        eightball press shake
        eightball press clear --hold 3s

      EXIT STATUS
        0   the button was pressed and released
        1   an unexpected failure
        64  the command line is wrong
        69  no ball runs, it has no such button, or the button is held down
      """,
    argument: .init(
      name: "button", isOptional: false, help: "shake or clear."))

  /// The buttons.
  enum ButtonArgument: String, CaseIterable {
    case shake
    case clear
  }

  static var options: [ToolOption<Press>] {
    [
      .value(
        OptionRow(
          "--hold", "<time>", "How long to hold it, such as 3s or 250ms. (default: 100 ms)")
      ) { $0.hold = try $1.time(upTo: 60_000) },
      .value(.control) { $0.control = $1.text },
    ]
  }

  /// The button; `nil` until an argument names it.
  private var named: ButtonArgument?
  var hold = TimeOption(milliseconds: 100)
  var control: String?

  mutating func take(_ argument: String) throws(UsageError) {
    guard named == nil else {
      throw UsageError("Unexpected argument '\(printable(argument))'")
    }
    guard let button = ButtonArgument(rawValue: argument) else {
      throw UsageError(
        "The value '\(printable(argument))' is invalid for '<button>'. Please provide one of "
          + "'shake' and 'clear'.")
    }
    named = button
  }

  func validate() throws(UsageError) {
    guard named != nil else { throw UsageError("Missing expected argument '<button>'") }
  }

  /// The button to press.
  private var button: ButtonArgument { named ?? .shake }

  func run() throws {
    let conversation = try BallConversation(ControlPath.candidates(control))
    try conversation.request("down \(button.rawValue)")
    poll(nil, 0, CInt(hold.milliseconds))
    try conversation.request("up \(button.rawValue)")
    // Longer than the contact bounces, so that the next press counts.
    poll(nil, 0, 50)
    Terminal.print("Pressed \(button.rawValue) for \(hold).")
  }
}
