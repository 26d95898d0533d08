import BallControl
import BluetoothHost
import LinuxRadio

/// Asks all balls for their figures when a client waits for them, on the main thread.
final class FiguresCollector {
  /// How long a ball may take to answer, in milliseconds.
  static let timeout: UInt32 = 2_000

  private let balls: [[String]]
  private let loop: LinuxRadio.EventLoop
  private let note: (String) -> Void
  private let deliver: (Reply) -> Void
  /// The current query of each ball; empty while no client waits.
  private var queries: [FiguresQuery] = []
  private var end: Instant?
  /// Why each ball did not answer last time.
  private var failures: [String?]

  /// - Parameters:
  ///   - balls: For each ball the possible paths of its control socket, in this order.
  ///   - note: Prints why a ball does not answer, once for each reason.
  ///   - deliver: Takes the reply to the clients.
  init(
    _ balls: [[String]], loop: LinuxRadio.EventLoop, note: @escaping (String) -> Void,
    deliver: @escaping (Reply) -> Void
  ) {
    self.balls = balls
    self.loop = loop
    self.note = note
    self.deliver = deliver
    failures = balls.map { _ in nil }
  }

  /// When `advance(to:)` must be called, also without an event of the loop.
  var deadline: Instant? { end }

  /// Asks the balls.
  func begin(at now: Instant) {
    queries = balls.map { FiguresQuery($0, loop: loop, at: now) }
    end = now.advanced(by: Self.timeout)
  }

  /// Called after each turn of the loop.
  func advance(to now: Instant) {
    guard let end, end <= now || queries.allSatisfy({ $0.outcome != nil }) else { return }
    self.end = nil
    var metrics = MetricsText()
    var sentences: [String] = []
    for (index, query) in queries.enumerated() {
      switch query.outcome ?? .failure("the ball does not answer") {
      case .figures(let line):
        metrics.add(line.figures, of: line.balls, version: line.version)
        failures[index] = nil
      case .failure(let reason):
        let text = Self.sentence(reason)
        sentences.append(text)
        if failures[index] != text { note("No figures: \(text)") }
        failures[index] = text
      }
      query.close()
    }
    queries = []
    deliver(metrics.ballCount > 0 ? .metrics(metrics.text) : .noMetrics(sentences))
  }

  /// A sentence without control characters: a ball at the socket may send any text.
  private static func sentence(_ text: String) -> String {
    let isPlain = !text.utf8.contains { $0 < 0x20 }
    let line =
      isPlain
      ? text : String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 }))
    return line.hasSuffix(".") || line.hasSuffix("?") ? line : line + "."
  }
}

extension Reply {
  /// The page of metrics.
  fileprivate static func metrics(_ text: String) -> Reply {
    Reply(
      status: .ok, headers: [("Content-Type", MetricsText.contentType)], body: Array(text.utf8))
  }

  /// Why there is none.
  fileprivate static func noMetrics(_ sentences: [String]) -> Reply {
    .error(.serviceUnavailable, sentences.joined(separator: "\n"))
  }
}

/// Asks one ball for its figures through its control socket.
final class FiguresQuery {
  /// The result of a query.
  enum Outcome {
    case figures(FiguresLine)
    /// Why the query failed, without a full stop.
    case failure(String)
  }

  /// The result; `nil` while the ball has not answered.
  private(set) var outcome: Outcome?

  private var client: ControlClient?

  /// - Parameter paths: Where to look for the ball.
  init(_ paths: [String], loop: LinuxRadio.EventLoop, at now: Instant) {
    client = ControlClient(paths: paths, loop: loop) { [unowned self] in take($0) }
    client?.advance(to: now)
  }

  deinit { close() }

  /// Ends the connection.
  func close() {
    client?.close()
    client = nil
  }

  private func take(_ event: ControlClient.Event) {
    guard outcome == nil else { return }
    switch event {
    case .connected: client?.send("figures")
    case .line(let bytes): take(bytes)
    case .ended(let error):
      outcome = .failure(error?.description ?? "the ball has ended the connection")
    case .unreachable(let error): outcome = .failure(error.description)
    }
  }

  private func take(_ bytes: [UInt8]) {
    guard let line = FiguresLine(bytes) else { return }
    if line.event == "figures" {
      outcome = .figures(line)
    } else if line.event == "error", line.request == "figures" {
      outcome = .failure(line.detail ?? "the ball refuses")
    }
  }
}
