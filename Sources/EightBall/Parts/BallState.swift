/// What a ball shows of itself, by its lights and on a display.
public struct BallState: Equatable, Sendable {
  /// What it is doing.
  public var status: BallLights.Status
  /// Whether centrals may pair.
  public var isPairingOpen: Bool
  /// Whether its light flashes because a statement was refused.
  public var isRefusing: Bool
  /// The last answer; `nil` before the first and after a clear.
  public var answer: Answer?
  /// Whether the answer was given or cleared in this turn.
  public var isAnswerNew: Bool

  /// The state of a ball.
  public init(
    status: BallLights.Status, isPairingOpen: Bool = false, isRefusing: Bool = false,
    answer: Answer? = nil, isAnswerNew: Bool = false
  ) {
    self.status = status
    self.isPairingOpen = isPairingOpen
    self.isRefusing = isRefusing
    self.answer = answer
    self.isAnswerNew = isAnswerNew
  }
}
