import BluetoothHost
import EightBall

/// The protection that a ball requires of a link before its central may ask, or read or receive an
/// answer.
public enum BallProtection: Equatable, Sendable {
  /// Nothing. A central that wants to pair is refused: Pairing Not Supported.
  case none
  /// Encryption. Pairing without confirmation by a user is sufficient.
  case encrypted
  /// Encryption with a key that is protected against a man in the middle: the users compare numbers, or
  /// enter one.
  case authenticated

  /// The requirement of Question.
  var ofQuestion: AttributeProtection {
    switch self {
    case .none: AttributeProtection(rawValue: 0)
    case .encrypted: .writeEncrypted
    case .authenticated: .writeAuthenticated
    }
  }

  /// The requirement of Answer.
  var ofAnswer: AttributeProtection {
    switch self {
    case .none: AttributeProtection(rawValue: 0)
    case .encrypted: .readEncrypted | .updateEncrypted
    case .authenticated: .readAuthenticated | .updateAuthenticated
    }
  }

  /// The ball's pairing policy. Pairing is closed at first. No bond is dropped for a new one, since
  /// strangers could push out the owner's.
  ///
  /// - Parameters:
  ///   - hasUser: Whether a user sees numbers and confirms them.
  ///   - staysOpen: Whether pairing stays open after a central has paired, until its time is over.
  public func policy(hasUser: Bool, staysOpen: Bool = false) -> PairingPolicy {
    PairingPolicy(
      isOpen: false, closesAfterPairing: !staysOpen,
      ioCapability: hasUser ? .displayYesNo : .noInputNoOutput,
      authentication: self == .authenticated ? .required : .wherePossible, dropsBonds: false)
  }
}
