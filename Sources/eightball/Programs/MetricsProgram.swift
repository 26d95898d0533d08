import BallMetrics
import BluetoothHost
import LinuxSystem

/// Serves the figures of balls. It asks the balls at each request of a client.
final class MetricsProgram {
  /// How long a ball may take to answer, in milliseconds.
  static let timeout: UInt32 = 2_000

  private let balls: [[String]]
  private let server: MetricsServer
  private let loop: EventLoop
  private let note: (String) -> Void
  /// The current query of each ball; empty while no client waits.
  private var queries: [FiguresQuery] = []
  private var end: Instant?
  /// Why each ball did not answer last time.
  private var failures: [String?]

  /// - Parameters:
  ///   - balls: For each ball the possible paths of its control socket, in this order.
  ///   - note: Prints why a ball does not answer, once for each reason.
  init(
    _ balls: [[String]], server: MetricsServer, loop: EventLoop, note: @escaping (String) -> Void
  ) {
    self.balls = balls
    self.server = server
    self.loop = loop
    self.note = note
    failures = balls.map { _ in nil }
  }

  /// When `advance(to:)` must be called; `nil` to wait for a client or a ball.
  var deadline: Instant? { .earlier(server.deadline, end) }

  /// Called after each turn of the loop.
  func advance(to now: Instant) {
    server.advance(to: now)
    if server.isAsked, queries.isEmpty {
      queries = balls.map { FiguresQuery($0, loop: loop, at: now) }
      end = now.advanced(by: Self.timeout)
    }
    guard let end else { return }
    guard end <= now || queries.allSatisfy({ $0.outcome != nil }) else { return }
    finish()
  }

  private func finish() {
    var metrics = MetricsText()
    var sentences: [String] = []
    for (index, query) in queries.enumerated() {
      switch query.outcome ?? .failure("the ball does not answer") {
      case .figures(let line):
        metrics.add(line.figures, version: line.version)
        failures[index] = nil
      case .failure(let reason):
        let text = sentence(printable(reason))
        sentences.append(text)
        if failures[index] != text { note("No figures: \(text)") }
        failures[index] = text
      }
      query.close()
    }
    queries = []
    end = nil
    if metrics.ballCount > 0 {
      server.answer(metrics)
    } else {
      server.refuse(sentences.joined(separator: "\n"))
    }
  }
}
