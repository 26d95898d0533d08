import BallControl
import LinuxPort

/// Shows the lights of a running ball.
struct Lights: Command {
  static let page = CommandPage(
    name: "lights",
    abstract: "Show the lights of the running ball.",
    discussion: """
      Blinking lights show their current state. A light that the board lacks is shown as none; \
      JSON leaves it out.

      EXAMPLES
        eightball lights
        eightball lights --json

      EXIT STATUS
        0   the lights are shown
        1   an unexpected failure
        64  the command line is wrong
        69  no ball runs
      """)

  static var options: [ToolOption<Lights>] {
    [
      .flag(.json) { $0.isJSON = true },
      .value(.control) { $0.control = $1.text },
    ]
  }

  var isJSON = false
  var control: String?

  func run() throws {
    let lights = try BallConversation(ControlPath.candidates(control)).lights
    guard isJSON else {
      Terminal.print("status: \(Self.word(lights.status))")
      Terminal.print("answer: \(Self.word(lights.answer))")
      return
    }
    var line = JSONLine(event: "lights")
    if let status = lights.status { line.add("status", status) }
    if let answer = lights.answer { line.add("answer", answer) }
    line.print()
  }

  private static func word(_ isLit: Bool?) -> String {
    isLit.map { $0 ? "on" : "off" } ?? "none"
  }
}
