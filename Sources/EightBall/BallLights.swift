/// What the ball's lights show.
public struct BallLights: Equatable, Sendable {
  /// The status light.
  public enum Status: Equatable, Sendable {
    /// The radio is being set up.
    case starting
    /// No central is connected, and centrals can find the ball.
    case advertising
    /// At least one central is connected.
    case connected
    /// The radio has failed.
    case fault
    /// The radio works, and the ball neither advertises nor has a connection: it is shutting down.
    case off
  }

  /// The status light.
  public var status: Status
  /// The answer light: an answer to a subscribed central is on its way.
  public var isAnswering: Bool
}
