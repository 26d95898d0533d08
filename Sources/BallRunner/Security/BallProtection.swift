import BluetoothHost
import EightBall

/// What a ball wants of a link before its central may ask, hear the answer, or read it.
public enum BallProtection: Equatable, Sendable {
  /// Encryption. Two devices that pair without a check by their users are enough.
  case encrypted
  /// Encryption with a key that is protected against a man in the middle: the users compare numbers, or
  /// enter one.
  case authenticated

  /// What Question wants.
  var ofQuestion: AttributeProtection {
    self == .encrypted ? .writeEncrypted : .writeAuthenticated
  }

  /// What Answer wants.
  var ofAnswer: AttributeProtection {
    self == .encrypted
      ? .readEncrypted | .updateEncrypted : .readAuthenticated | .updateAuthenticated
  }

  /// What the ball asks of a pairing. Nobody pairs until that is opened.
  ///
  /// - Parameter hasUser: Whether there is somebody who sees numbers and says yes or no to them.
  public func policy(hasUser: Bool) -> PairingPolicy {
    PairingPolicy(
      isOpen: false, ioCapability: hasUser ? .displayYesNo : .noInputNoOutput,
      authentication: self == .authenticated ? .required : .wherePossible)
  }
}
