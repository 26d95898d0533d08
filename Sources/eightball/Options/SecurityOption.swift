import ArgumentParser
import BallRunner

/// What a ball requires of a link, as `--security` names it.
enum SecurityOption: String, ExpressibleByArgument, CaseIterable {
  case none
  case encrypted
  case authenticated

  /// `nil` for an open ball.
  var protection: BallProtection? {
    switch self {
    case .none: nil
    case .encrypted: .encrypted
    case .authenticated: .authenticated
    }
  }
}
