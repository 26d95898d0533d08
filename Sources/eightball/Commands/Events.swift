import BallControl
import LinuxPort
import LinuxRadio

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
        74  the output cannot be written
      """)

  static var options: [ToolOption<Events>] {
    [
      .value(.control) { $0.control = try $1.path() },
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
    case .failed(.noBall), .failed(.unusable), .failed(.silent): throw ExitStatus.unavailable
    case .failed: throw ExitStatus.unexpected
    }
  }
}

/// Turns what a control socket sends into the output of `eightball events`.
struct EventsProgram {
  /// Why the program ends.
  enum Ending: Equatable {
    /// The ball has ended.
    case ballEnded
    /// No ball runs, or the connection failed.
    case failed(ControlError)
  }

  /// Why the program ends; `nil` while it runs.
  private(set) var ending: Ending?

  private let follows: Bool
  private let addsLayers: Bool
  private let print: (String) -> Void
  private let note: (String) -> Void
  private var layers = PacketLayers()
  /// Whether there has been a connection.
  private var hasSeenBall = false
  /// Whether the connection was closed, and no line has come since.
  private var wasClosed = false

  /// A program that has received no event.
  ///
  /// - Parameters:
  ///   - follows: Whether to wait for the first ball, and for the next one when a ball ends.
  ///   - addsLayers: Whether to add the layers to a packet that lacks them.
  ///   - print: Takes each line of the result.
  ///   - note: Takes each message for people.
  init(
    follows: Bool, addsLayers: Bool, print: @escaping (String) -> Void,
    note: @escaping (String) -> Void
  ) {
    self.follows = follows
    self.addsLayers = addsLayers
    self.print = print
    self.note = note
  }

  /// Handles an event of the client.
  mutating func take(_ event: ControlClient.Event) {
    switch event {
    case .connected:
      layers = PacketLayers()
      hasSeenBall = true
    case .line(let line):
      if wasClosed, !follows {
        note("Warning: lines are missing: this program read too slowly, so the ball dropped it.")
      }
      wasClosed = false
      print(String(decoding: addsLayers ? layers.addingLayers(to: line) : line, as: UTF8.self))
    case .ended(nil):
      // The ball ended, or it dropped this program as too slow: the next connection shows which.
      wasClosed = true
    case .ended(let error?):
      fail(error)
    case .unreachable(let error):
      if follows, case .noBall(let paths) = error {
        note("Waiting for a ball at \(paths.joined(separator: " or ")).")
      } else if hasSeenBall, case .noBall = error {
        ending = .ballEnded
      } else {
        fail(error)
      }
    }
  }

  private mutating func fail(_ error: ControlError) {
    note("Error: \(sentence(error.description))")
    if !follows { ending = .failed(error) }
  }
}
