import BallControl

/// The ball's name and radio, by which a question reaches it.
struct BallIdentity {
  private let name: String?
  private let radio: String?

  /// Reads a line of the ball; `nil` if it is not the event `ball`.
  init?(_ line: [UInt8]) {
    guard line.starts(with: #"{"event":"ball""#.utf8), let ball = ControlLine(line) else {
      return nil
    }
    name = ball.text("name")
    radio = ball.text("radio")
  }

  /// The command that reaches the ball: it stays connected, and asks each line of its input.
  func command(_ options: PanelOptions) -> Result<[String], AskObstacle> {
    guard let radio else { return .failure(.unknownBall) }
    guard let program = options.program else {
      return .failure(AskObstacle(words: "The program eightball is not beside eightball-panel."))
    }
    let isShared = radio == "virtual" || radio.hasPrefix("unix:") || radio.hasPrefix("tcp-client:")
    guard let chosen = isShared ? radio : options.radio else {
      return .failure(
        AskObstacle(
          words:
            "Only the ball can use its radio, \(radio). To ask it from here, start the panel with "
            + "--radio and another radio of this machine; or ask from a phone."))
    }
    // The name, if it is known: another ball may be on the same air.
    return .success(
      [program, "ask", "--stay", "--json", "--radio", chosen]
        + (name.map { ["--name=\($0)"] } ?? []))
  }
}

/// Why a page cannot ask.
struct AskObstacle: Error {
  let words: String

  /// The ball has not said yet how to reach it.
  static let unknownBall = AskObstacle(
    words: "The ball has not sent its name and radio yet: try again.")
}
