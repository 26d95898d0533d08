import NIOCore
import NIOHTTP1

/// Serves the figures of balls, for Prometheus: GET and HEAD of `/metrics`. Used only on the loop's
/// thread.
final class MetricsService: HTTPService {
  /// The most clients at once; a further one replaces the oldest.
  static let mostConnections = 8

  let limits = HTTPLimits(
    requestLine: 4_096, head: 4_096, replyTimeout: .seconds(5), closeTimeout: .seconds(1))
  private let gate: MetricsGate
  private let balls: Balls
  /// The clients, the oldest first.
  private var connections: [any Channel] = []
  /// The clients that wait for the figures.
  private var waiting: [@Sendable (Reply) -> Void] = []

  init(_ gate: MetricsGate, balls: Balls) {
    self.gate = gate
    self.balls = balls
  }

  func connectionBegins(_ channel: any Channel) -> Bool {
    connections.append(channel)
    if connections.count > Self.mostConnections {
      connections.removeFirst().close(promise: nil)
    }
    return true
  }

  func connectionEnded(_ channel: any Channel) { connections.removeAll { $0 === channel } }

  func judge(_ head: HTTPRequestHead) -> Result<Passage, Refusal> { gate.judge(head) }

  /// All clients that wait get the same figures.
  func serve(
    _ passage: Passage, _ body: ByteBufferView, reply: @escaping @Sendable (Reply) -> Void
  ) {
    waiting.append(reply)
    if waiting.count == 1 { balls.ask(.figures) }
  }

  /// Replies to the clients that wait.
  func answer(_ reply: Reply) {
    let waiting = self.waiting
    self.waiting = []
    for client in waiting { client(reply) }
  }
}
