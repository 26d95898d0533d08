import LinuxPort

/// Serves the metrics of running balls, by executing eightball-panel in place of this program.
struct Metrics: Command {
  static let page = CommandPage(
    name: "metrics",
    abstract: "Serve the metrics of running balls, for Prometheus.",
    discussion: """
      For balls and swarms that run without --metrics. At each request it asks them by their \
      control sockets, and adds up their figures. It leaves out a ball that does not answer within 2 s; if \
      none answers, the reply is 503 and says why.

      EXAMPLES
        eightball metrics --listen 9888
        eightball metrics --listen _:9888
        eightball metrics --listen 9888 --control /tmp/one.sock --control /tmp/two.sock

      EXIT STATUS
        0   ended by SIGINT, SIGTERM or SIGHUP
        1   an unexpected failure
        64  the command line is wrong
        69  it cannot listen there, or eightball-panel is not installed
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
      guard let listen else { return }
      let listener = try MetricsListener(listen)
      Terminal.print(listener.line(isJSON: isJSON))
      try listener.become(control: control)
    }
  }
}
