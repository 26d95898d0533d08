import BallControl
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
  init(_ paths: [String], loop: LinuxSystem.EventLoop, at now: Instant) {
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
