import LinuxSystem
import Synchronization

/// What the thread of HTTP asks of the main thread, which has the connections to the balls.
final class Balls: Sendable {
  /// A request to the main thread.
  enum Request {
    /// Connect this page to the ball, and to the next one when a ball ends.
    case watch(page: Int)
    /// Send a line to this page's ball.
    case send(page: Int, String)
    /// The page has closed.
    case leave(page: Int)
    /// Get the figures of all balls.
    case figures
  }

  private let waiting = Mutex<[Request]>([])
  private let wakeup: Wakeup

  init(loop: LinuxSystem.EventLoop) throws(SystemError) { wakeup = try Wakeup(loop: loop) }

  /// Passes a request on, on any thread.
  func ask(_ request: Request) {
    waiting.withLock { $0.append(request) }
    wakeup.ring()
  }

  /// Takes the oldest request, on the main thread; `nil` without one.
  func next() -> Request? {
    waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
