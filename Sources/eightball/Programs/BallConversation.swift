import BallControl
import BluetoothHost
import LinuxSystem

/// A short conversation with a ball through its control socket: its state, then requests.
final class BallConversation {
  /// How long the ball may take to answer, in milliseconds.
  private static let timeout: UInt32 = 2_000

  /// The status light of the ball, and its answer light; `nil` for one that its board lacks.
  private(set) var lights: (status: Bool?, answer: Bool?)

  private let loop: EventLoop
  private var client: ControlClient?
  private var lines: [ControlLine] = []
  private var failure: ControlError?
  private var hasEnded = false

  /// Connects to the ball, and reads its state.
  ///
  /// - Parameter paths: Where to look for it.
  /// - Throws: `ExitStatus.unavailable`, after a line that says why, if no ball runs or answers.
  init(_ paths: [String]) throws {
    loop = try EventLoop()
    let client = ControlClient(paths: paths, loop: loop) { [unowned self] in take($0) }
    self.client = client
    client.advance(to: MonotonicClock.now)
    while true {
      let line = try next()
      if line.event == "lights" { lights = (line.truth("status"), line.truth("answer")) }
      if line.event == "current" { return }
    }
  }

  deinit { client?.close() }

  /// Sends a request, and waits until the ball has done it.
  ///
  /// - Throws: `ExitStatus.unavailable`, after a line that says why, if the ball refuses or ends.
  func request(_ text: String) throws {
    client?.send(text)
    while true {
      let line = try next()
      guard line.text("request") == text else { continue }
      switch line.event {
      case "done": return
      case "error": throw fail(sentence(printable(line.text("detail") ?? "The ball refuses.")))
      default: continue
      }
    }
  }

  private func next() throws -> ControlLine {
    let deadline = MonotonicClock.now.advanced(by: Self.timeout)
    while lines.isEmpty {
      if case .noBall(let paths) = failure {
        throw fail(
          "no ball runs: nothing listens at \(paths.joined(separator: " or ")). Start one: "
            + "eightball run --board virtual\(ControlPath.option(for: paths))")
      }
      if let failure { throw fail(sentence(failure.description)) }
      guard !hasEnded else { throw fail("The ball has ended the connection.") }
      guard MonotonicClock.now < deadline else {
        throw fail("The ball does not answer. Restart it.")
      }
      try loop.wait(until: deadline)
    }
    return lines.removeFirst()
  }

  private func take(_ event: ControlClient.Event) {
    switch event {
    case .connected: break
    case .unreachable(let error): failure = error
    case .ended(let error):
      failure = error
      hasEnded = true
    case .line(let bytes):
      if let line = ControlLine(bytes) { lines.append(line) }
    }
  }

  private func fail(_ reason: String) -> any Error {
    Terminal.note("Error: \(reason)")
    return ExitStatus.unavailable
  }
}
