import BluetoothHost
import EightBall

/// For a program that runs many balls: the state of one ball, and control of its links.
extension ProtectedBallRunner where Machine: ~Copyable, Security: ~Copyable {
  /// The state of the ball's radio.
  public var radio: RadioState { ball.host.radio }

  /// How many centrals are connected.
  public var connectionCount: Int { ball.host.connectionCount }

  /// Disconnects all centrals in the next turn. The ball continues or resumes advertising.
  public mutating func disconnectAll() { ball.host.disconnectAll() }
}
