import BallControl
import BluetoothHost
import Glibc
import LinuxPort
import LinuxRadio

/// Presses a button of a running ball.
struct Press: Command {
  static let page = CommandPage(
    name: "press",
    abstract: "Press a button of the running ball.",
    discussion: """
      Start the ball with eightball run --board virtual; on a real board, with --allow-remote-buttons. \
      If this program ends early, the ball releases the button.

      EXAMPLES
        eightball press shake
        eightball press clear --hold 3s

      EXIT STATUS
        0   the button was pressed and released
        1   an unexpected failure
        64  the command line is wrong
        69  no ball runs, it has no such button, or the button is held down
      """,
    argument: .init(
      name: "button", isOptional: false, help: "shake or clear."))

  /// The buttons.
  enum ButtonArgument: String, CaseIterable {
    case shake
    case clear
  }

  static var options: [ToolOption<Press>] {
    [
      .value(
        OptionRow(
          "--hold", "<time>", "How long to hold it, such as 3s or 250ms. (default: 100 ms)")
      ) { $0.hold = try $1.time(upTo: 60_000) },
      .value(.control) { $0.control = try $1.path() },
    ]
  }

  /// The button; `nil` until an argument names it.
  private var named: ButtonArgument?
  var hold = TimeOption(milliseconds: 100)
  var control: String?

  mutating func take(_ argument: String) throws(UsageError) {
    guard named == nil else {
      throw UsageError("Unexpected argument '\(printable(argument))'")
    }
    guard let button = ButtonArgument(rawValue: argument) else {
      throw UsageError(
        "The value '\(printable(argument))' is invalid for '<button>'. Please provide one of "
          + "'shake' and 'clear'.")
    }
    named = button
  }

  func validate() throws(UsageError) {
    guard named != nil else { throw UsageError("Missing expected argument '<button>'") }
  }

  /// The button to press.
  private var button: ButtonArgument { named ?? .shake }

  func run() throws {
    let conversation = try BallConversation(ControlPath.candidates(control))
    try conversation.request("down \(button.rawValue)")
    poll(nil, 0, CInt(hold.milliseconds))
    try conversation.request("up \(button.rawValue)")
    // Longer than the contact bounces, so that the next press counts.
    poll(nil, 0, 50)
    Terminal.print("Pressed \(button.rawValue) for \(hold).")
  }
}

/// Shows the lights of a running ball.
struct Lights: Command {
  static let page = CommandPage(
    name: "lights",
    abstract: "Show the lights of the running ball.",
    discussion: """
      Blinking lights show their current state. A light that the board lacks is shown as none; \
      JSON leaves it out.

      EXAMPLES
        eightball lights
        eightball lights --json

      EXIT STATUS
        0   the lights are shown
        1   an unexpected failure
        64  the command line is wrong
        69  no ball runs
        74  the output cannot be written
      """)

  static var options: [ToolOption<Lights>] {
    [
      .flag(.json) { $0.isJSON = true },
      .value(.control) { $0.control = try $1.path() },
    ]
  }

  var isJSON = false
  var control: String?

  func run() throws {
    let lights = try BallConversation(ControlPath.candidates(control)).lights
    guard isJSON else {
      Terminal.print("status: \(Self.word(lights.status))")
      Terminal.print("answer: \(Self.word(lights.answer))")
      return
    }
    var line = JSONLine(event: "lights")
    if let status = lights.status { line.add("status", status) }
    if let answer = lights.answer { line.add("answer", answer) }
    line.print()
  }

  private static func word(_ isLit: Bool?) -> String {
    isLit.map { $0 ? "on" : "off" } ?? "none"
  }
}

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
