/// What the ball's lights are to show.
public struct BallLights: Equatable, Sendable {
  /// The status light.
  public enum Status: Equatable, Sendable {
    /// The radio is being set up.
    case starting
    /// Nobody is connected, and centrals can find the ball.
    case advertising
    /// At least one central is connected.
    case connected
    /// The radio has failed.
    case fault
    /// The radio works, but nobody is connected or invited: the ball is shutting down.
    case off
  }

  /// The status light.
  public var status: Status
  /// The answer light: an answer is on its way to somebody who listens.
  public var isAnswering: Bool
}
