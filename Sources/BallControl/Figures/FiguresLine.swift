import BallRunner

/// The event `figures` of a ball or a swarm, or another event of its control socket:
/// docs/events.md.
public struct FiguresLine: Sendable {
  /// The name of the event.
  public let event: String
  /// The request that an event `error` is about.
  public let request: String?
  /// What is wrong, in an event `error`.
  public let detail: String?
  /// The version of the ball; empty if it does not say.
  public let version: String
  /// How many balls the figures are of: 1, unless a swarm has sent them.
  public let balls: Int
  /// The figures. One that the ball does not have is 0.
  public let figures: BallFigures

  /// `nil` if `bytes` are no line of a ball.
  public init?(_ bytes: [UInt8]) {
    guard let line = ControlLine(bytes) else { return nil }
    event = line.event
    request = line.text("request")
    detail = line.text("detail")
    version = line.text("version") ?? ""
    balls = line.number("balls").map { Int(clamping: $0) } ?? 1
    var figures = BallFigures()
    if event == "figures" {
      for number in 0..<Figure.count {
        guard let figure = Figure(rawValue: number) else { continue }
        figures[figure] = line.number("\(figure.name)") ?? 0
      }
    }
    self.figures = figures
  }
}
