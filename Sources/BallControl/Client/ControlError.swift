import LinuxSystem

/// Why a ball cannot be watched.
///
/// Prints as one or two sentences, without the last full stop.
public enum ControlError: Error, Equatable, CustomStringConvertible, Sendable {
  /// No ball listens at these paths.
  case noBall([String])
  /// A socket exists and cannot be used, such as another user's.
  case unusable(SystemError)
  /// The connection broke.
  case broken(SystemError)
  /// The ball sent more bytes than this without a line end, so it is probably not a ball.
  case lineTooLong(Int)
  /// The ball has as many listeners as it takes.
  case full
  /// The ball does not read its requests: so many bytes wait.
  case stuck(Int)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .noBall(let paths):
      "no ball runs: nothing listens at \(paths.joined(separator: " or ")). Start one: "
        + "eightball run\(ControlPath.option(for: paths))"
    case .unusable(let error) where error.code == .notPermitted:
      "\(error). Name the socket of your own ball by --control or \(ControlPath.variable)"
    case .unusable(let error) where error.subject == ControlPath.ofService:
      "\(error). Only root may watch the ball of the service: use sudo"
    case .unusable(let error), .broken(let error): error.description
    case .lineTooLong(let limit):
      "the ball sent a line of more than \(limit) bytes; is there something else at its socket?"
    case .full: "16 programs listen to the ball, which takes no more. End one of them"
    case .stuck(let count): "the ball does not read its requests: \(count) bytes wait"
    }
  }
}
