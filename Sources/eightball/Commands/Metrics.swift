import BallControl
import BallMetrics
import BluetoothHost
import LinuxPort
import LinuxSystem

/// Serves the metrics of running balls.
struct Metrics: Command {
  static let page = CommandPage(
    name: "metrics",
    abstract: "Serve the metrics of running balls, for Prometheus.",
    discussion: """
      For balls that run without --metrics. At each request it asks the balls by their control \
      sockets, and adds up their figures. It leaves out a ball that does not answer within 2 s; if \
      none answers, the reply is 503 and says why.

      EXAMPLES
        eightball metrics --listen 9888
        eightball metrics --listen _:9888
        eightball metrics --listen 9888 --control /tmp/one.sock --control /tmp/two.sock

      EXIT STATUS
        0   ended by SIGINT, SIGTERM or SIGHUP
        1   an unexpected failure
        64  the command line is wrong
        69  it cannot listen there
      """)

  static var options: [ToolOption<Metrics>] {
    [
      .value(
        OptionRow(
          "--listen", "<host:port>",
          """
          Where to serve them: PORT, on this machine only, or HOST:PORT, where _ means all addresses \
          of this machine; port 0 takes a free one.
          """)
      ) { $0.listen = try $1.metricsAddress() },
      .value(
        OptionRow(
          "--control", "<path>", isRepeatable: true,
          """
          The control socket of a ball; may be given several times. Default: $EIGHTBALL_CONTROL, or \
          else your own ball's, or else the service's.
          """)
      ) { $0.control.append($1.text) },
      .flag(.json) { $0.isJSON = true },
    ]
  }

  var listen: MetricsAddress?
  var control: [String] = []
  var isJSON = false

  func validate() throws(UsageError) {
    guard listen != nil else {
      throw UsageError("Missing expected argument '--listen <host:port>'")
    }
  }

  func run() throws {
    try reportingErrors(with: { printFailure($0, reason: $1, isJSON: isJSON) }) {
      let loop = try EventLoop()
      let signals = try TerminationSignals(loop: loop)
      guard let listen, let server = try listen.serve(in: loop, endedBy: signals) else { return }
      Terminal.print(listen.line(port: server.port, isJSON: isJSON))
      let balls =
        control.isEmpty ? [ControlPath.candidates()] : control.map { ControlPath.candidates($0) }
      let program = MetricsProgram(balls, server: server, loop: loop, note: Terminal.note)
      while signals.count == 0 {
        program.advance(to: MonotonicClock.now)
        try loop.wait(until: program.deadline)
      }
      server.close()
    }
  }
}
