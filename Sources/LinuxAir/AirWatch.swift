import LinuxSystem

/// Serves an air in an event loop.
package final class AirWatch: EventHandler {
  private let server: AirServer
  private let loop: EventLoop
  private var registration: EventLoop.Registration?

  /// Serves `server` in `loop`.
  package init(_ server: AirServer, loop: EventLoop) throws(SystemError) {
    self.server = server
    self.loop = loop
    registration = try loop.add(number: server.number, for: .readable, handler: self)
  }

  /// Stops serving it.
  package func stop() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  /// Takes what has come.
  package func handle(_ readiness: Readiness, token: Int) {
    // Fails only if the kernel has no memory: the next turn tries again.
    _ = try? server.serve()
  }
}
