import BallControl
import LinuxPort
import LinuxSystem

/// Prints the events of a ball's control socket.
struct Events: Command {
  static let page = CommandPage(
    name: "events",
    abstract: "Print what a running ball does, as lines of JSON.",
    discussion: """
      The first lines are the state of the ball, up to the event current; each later line is a \
      change. docs/events.md lists the events. The ball is this user's, or the service's, which \
      only root may watch.

      EXAMPLES
        eightball events
        eightball events --packets | jq --unbuffered .layers
        eightball events --follow --control /run/user/1000/my-ball.sock

      EXIT STATUS
        0   the ball has ended, or SIGINT, SIGTERM or SIGHUP came
        1   an unexpected failure
        64  the command line is wrong
        69  no ball runs, or its socket cannot be used
      """)

  static var options: [ToolOption<Events>] {
    [
      .value(.control) { $0.control = $1.text },
      .flag(OptionRow("--packets", "Also print each packet of the ball's radio, layer by layer.")) {
        $0.packets = true
      },
      .flag(
        OptionRow(
          "--follow", "Wait for a ball if none runs, and for the next one when it ends.")
      ) { $0.follow = true },
    ]
  }

  var control: String?
  var packets = false
  var follow = false

  func run() throws {
    do {
      try watch()
    } catch let error as SystemError {
      Terminal.note("Error: \(sentence(error.description))")
      throw ExitStatus.unexpected
    }
  }

  private func watch() throws {
    let loop = try EventLoop()
    let signals = try TerminationSignals(loop: loop)
    let output = try LineOutput(loop: loop)
    var program = EventsProgram(
      follows: follow, addsLayers: packets, print: output.print, note: Terminal.note)
    let client = ControlClient(
      paths: ControlPath.candidates(control), wantsPackets: packets, loop: loop
    ) {
      program.take($0)
    }
    while signals.count == 0 {
      if program.ending == nil { client.advance(to: MonotonicClock.now) }
      // The reader of the lines has closed them.
      guard output.flush() else { break }
      if program.ending != nil, output.isEmpty { break }
      // While the reader is slow, the lines stay in the socket.
      client.isReading = output.isEmpty
      try loop.wait(until: program.ending == nil ? client.deadline : nil)
    }
    client.close()
    switch program.ending {
    case nil, .ballEnded: return
    case .failed(.noBall), .failed(.unusable): throw ExitStatus.unavailable
    case .failed: throw ExitStatus.unexpected
    }
  }
}
