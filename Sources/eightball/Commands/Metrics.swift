import ArgumentParser
import BallControl
import BallMetrics
import BluetoothHost
import LinuxSystem

/// Serves the metrics of running balls.
struct Metrics: ParsableCommand {
  static let configuration = CommandConfiguration(
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

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where to serve them: PORT, on this machine only, or HOST:PORT, where _ means all addresses "
        + "of this machine; port 0 takes a free one.", valueName: "host:port"),
    transform: { try MetricsAddress(option: $0) })
  var listen: MetricsAddress

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The control socket of a ball; may be given several times. Default: $EIGHTBALL_CONTROL, or "
        + "else your own ball's, or else the service's.", valueName: "path"),
    completion: .file())
  var control: [String] = []

  @OptionGroup var output: OutputOptions

  func run() throws {
    try reportingErrors(with: { printFailure($0, reason: $1, isJSON: output.json) }) {
      let loop = try EventLoop()
      let signals = try TerminationSignals(loop: loop)
      guard let server = try listen.serve(in: loop, endedBy: signals) else { return }
      Terminal.print(listen.line(port: server.port, isJSON: output.json))
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
