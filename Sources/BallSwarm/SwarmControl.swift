import BallRunner
import BluetoothHost
import LinuxPort
import LinuxSystem

/// The control socket of a swarm, in the swarm's loop. Programs ask there for the figures.
final class SwarmControl: EventHandler {
  private let loop: EventLoop
  private var server: ControlServer
  private var registration: EventLoop.Registration?

  /// Listens at `path`, for this user alone.
  ///
  /// - Throws: `addressInUse` if a program listens there.
  init(_ path: String, loop: EventLoop) throws(SystemError) {
    guard var server = ControlServer() else {
      throw SystemError(.current, "create", "an event queue")
    }
    if !server.open(Array(path.utf8).span), let failure = server.failure {
      throw SystemError(failure, of: path)
    }
    self.server = server
    self.loop = loop
    registration = try loop.add(number: self.server.descriptor, for: .readable, handler: self)
  }

  /// When `serve` must be called; `nil` to wait for a program.
  var deadline: Instant? { server.deadline }

  /// A program connects, has sent something, or has gone.
  func handle(_ readiness: Readiness, token: Int) { server.handle() }

  /// Answers the programs.
  ///
  /// - Parameter figures: The sum of the figures, and how many balls they are of.
  func serve(at now: Instant, with figures: @autoclosure () -> (sum: BallFigures, balls: Int)) {
    server.advance(to: now)
    var request = ByteBuffer<128>()
    while let event = server.nextEvent(into: &request) {
      guard case .request(let listener) = event else { continue }
      let words = request.span.indices.map { request.span[$0] }
      server.send(SwarmReply.line(to: words, with: figures()).span, to: listener)
    }
  }

  /// Accepts no more programs. The socket is removed with the last reference.
  func close() {
    if let registration { loop.remove(registration) }
    registration = nil
  }
}
