import ArgumentParser
import BallRunner

/// What a ball wants of a link, as `--security` names it.
enum SecurityOption: String, ExpressibleByArgument, CaseIterable {
  case none
  case encrypted
  case authenticated

  /// `nil` for a ball that protects nothing.
  var protection: BallProtection? {
    switch self {
    case .none: nil
    case .encrypted: .encrypted
    case .authenticated: .authenticated
    }
  }
}
