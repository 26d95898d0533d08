import ArgumentParser

/// Shows the lights of a running ball.
struct Lights: ParsableCommand {
  static let configuration = CommandConfiguration(
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

  @OptionGroup var output: OutputOptions

  @OptionGroup var ball: ControlOption

  func run() throws {
    let lights = try BallConversation(ball.paths).lights
    guard output.json else {
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
