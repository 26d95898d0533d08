import Linux
import LinuxRadio

/// Where the control sockets of balls are.
public enum ControlPath {
  /// The environment variable with the path of the socket, for a ball and its clients.
  public static let variable = "EIGHTBALL_CONTROL"

  /// The socket of the ball that runs as a service.
  public static let ofService = "/run/eightball/control.sock"

  /// The default socket of a ball of this user: in the user's runtime directory, or in /tmp.
  public static var ofUser: String {
    String(writing: { UserSocket.writePath("eightball-control", to: &$0) })
  }

  /// Where a swarm may listen without a path on the command line, in this order: one path, and those for eight more
  /// swarms of the user.
  package static var ofSwarm: [String] {
    (1...9).map { number in
      String(writing: { UserSocket.writePath("eightball-swarm", number, to: &$0) })
    }
  }

  /// Where to look for a ball, in this order.
  ///
  /// - Parameter option: The path that the user gives; `nil` for $EIGHTBALL_CONTROL, or else for
  ///   this user's ball and then the service's.
  public static func candidates(_ option: String? = nil) -> [String] {
    if let path = option ?? CurrentProcess.environment(variable) { return [path] }
    return [ofUser, ofService]
  }

  /// The option with which a ball listens at these paths; empty for the default ones.
  public static func option(for paths: [String]) -> String {
    guard paths != candidates(), paths.count == 1, let path = paths.first else { return "" }
    return " --control \(path)"
  }

  /// Connects to the first ball that listens at one of `paths`.
  ///
  /// - Throws: `noBall`; `unusable` if a socket exists, such as another user's.
  public static func connect(_ paths: [String]) throws(ControlError) -> FileDescriptor {
    var failure: SystemError?
    for path in paths {
      // The service's ball runs as its own user, and root may watch it.
      let user = path == ofService ? CurrentProcess.userNumber(of: "eightball") : nil
      do throws(SystemError) {
        return try StreamSocket.connect(path: path, trusting: user)
      } catch {
        let isAbsent = error.code == .noSuchFile || error.code == .connectionRefused
        if !isAbsent, failure == nil { failure = error }
      }
    }
    throw failure.map { .unusable($0) } ?? .noBall(paths)
  }
}
