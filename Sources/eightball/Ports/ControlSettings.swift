import BallControl
import LinuxSystem

/// Where programs connect to a ball, and whether they may press the buttons of a real board.
struct ControlSettings {
  /// The socket that the command line names; `nil` for the default one.
  var path: String?
  /// Whether programs may press the buttons of a real board. They always may on a virtual one.
  var allowsPresses: Bool

  /// Opens the socket. If no default socket can be opened, warns and returns `nil`: the ball runs
  /// without one.
  ///
  /// - Parameter isPressed: Whether people press this ball's buttons from another terminal. If so,
  ///   and the socket is not the first default one, warns which ball eightball press uses.
  /// - Throws: Why the socket that the command line names cannot be opened.
  func open(
    in loop: EventLoop, isPressed: Bool, note: (String) -> Void
  ) throws(SystemError) -> ControlSocket? {
    if let path {
      do throws(SystemError) {
        return try ControlSocket(path: path, loop: loop)
      } catch {
        guard error.code == .addressInUse else { throw error }
        throw SystemError(
          error.code, "listen on", path, explanation: "another ball does; name another path")
      }
    }
    let paths = ControlPath.ofBall
    for path in paths {
      do throws(SystemError) {
        let socket = try ControlSocket(path: path, loop: loop)
        if isPressed, path != paths.first {
          note(
            "Warning: another ball of yours runs, and eightball press uses that one. For this one, "
              + "add --control \(path).")
        }
        return socket
      } catch {
        if error.code == .addressInUse { continue }
        note("Warning: this ball has no control socket: \(sentence(error.description))")
        return nil
      }
    }
    note(
      "Warning: this ball has no control socket: another ball uses "
        + "\(paths.joined(separator: ", ")). Name a socket: --control PATH.")
    return nil
  }
}
