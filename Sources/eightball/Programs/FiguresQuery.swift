import BallControl
import BallRunner
import BluetoothHost
import LinuxSystem

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
  init(_ paths: [String], loop: EventLoop, at now: Instant) {
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
    // A line of a later ball may have other members.
    guard let line = FiguresLine(bytes) else { return }
    if line.event == "figures" {
      outcome = .figures(line)
    } else if line.event == "error", line.request == "figures" {
      outcome = .failure(line.detail ?? "the ball refuses")
    }
  }
}

/// The event `figures` of a ball, or another event of its control socket. docs/events.md.
struct FiguresLine {
  let event: String
  let request: String?
  let detail: String?
  /// The version of the ball; empty if it does not say.
  let version: String
  /// Its figures. One that it does not have is 0.
  let figures: BallFigures

  /// `nil` if `bytes` are no line of a ball.
  init?(_ bytes: [UInt8]) {
    guard let line = ControlLine(bytes) else { return nil }
    event = line.event
    request = line.text("request")
    detail = line.text("detail")
    version = line.text("version") ?? ""
    var figures = BallFigures()
    if event == "figures" {
      for number in 0..<Figure.count {
        guard let figure = Figure(rawValue: number) else { continue }
        figures[figure] = line.number("\(figure.name)") ?? 0
      }
    }
    self.figures = figures
  }
}
