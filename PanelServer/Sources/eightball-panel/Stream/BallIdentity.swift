import NIOCore

/// The ball's name and radio, by which a question reaches it.
struct BallIdentity {
  private var name: String?
  private var radio: String?

  /// Reads a line; `true` if it is the event `ball`.
  mutating func take(_ line: ByteBuffer) -> Bool {
    guard line.readableBytesView.starts(with: Self.beginning),
      let ball = JSONValue(line.readableBytesView)
    else { return false }
    name = ball["name"]?.text
    radio = ball["radio"]?.text
    return true
  }

  private static let beginning = Array("{\"event\":\"ball\"".utf8)

  /// The central that reaches the ball.
  func central(options: PanelOptions) -> Result<AskingCentral, AskObstacle> {
    guard let radio else {
      return .failure(
        AskObstacle(words: "The ball has not sent its name and radio yet: try again."))
    }
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
    return .success(AskingCentral(program: program, radio: chosen, name: name))
  }
}

/// Why a page cannot ask.
struct AskObstacle: Error {
  let words: String
}
