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

  enum Option: UInt8, OptionTable {
    case json, control, version, help

    var row: OptionRow {
      switch self {
      case .json: .json
      case .control: .control
      case .version: .version
      case .help: .help
      }
    }
  }

  var isJSON = false
  var control: String?

  mutating func set(_ option: Option, _ value: OptionValue) {
    switch option {
    case .json: isJSON = true
    case .control: control = value.text
    case .version, .help: break
    }
  }

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
