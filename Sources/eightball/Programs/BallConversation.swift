import BallControl
import BluetoothHost
import Foundation
import LinuxSystem

/// A short conversation with a ball through its control socket: its state, then requests.
final class BallConversation {
  /// The members that are read of a ball's line. docs/events.md.
  struct ReceivedLine: Decodable {
    var event: String
    var request: String?
    var detail: String?
    var status: Bool?
    var answer: Bool?
  }

  /// How long the ball may take to answer, in milliseconds.
  private static let timeout: UInt32 = 2_000

  /// The lights of the ball; `nil` for each that its board lacks.
  private(set) var lights = ReceivedLine(event: "lights")

  private let loop: EventLoop
  private var client: ControlClient?
  private var lines: [ReceivedLine] = []
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
      if line.event == "lights" { lights = line }
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
      guard line.request == text else { continue }
      switch line.event {
      case "done": return
      case "error": throw fail(sentence(printable(line.detail ?? "The ball refuses.")))
      default: continue
      }
    }
  }

  private func next() throws -> ReceivedLine {
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
      // A line of a later ball may have other members.
      if let line = try? JSONDecoder().decode(ReceivedLine.self, from: Data(bytes)) {
        lines.append(line)
      }
    }
  }

  private func fail(_ reason: String) -> any Error {
    Terminal.note("Error: \(reason)")
    return ExitStatus.unavailable
  }
}
