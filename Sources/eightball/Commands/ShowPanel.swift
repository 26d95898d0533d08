import Glibc
import LinuxPort
import LinuxRadio

/// Serves a page that shows a ball, by executing eightball-panel in place of this program.
struct ShowPanel: Command {
  static let page = CommandPage(
    name: "panel",
    abstract: "Show the running ball on a page in a browser.",
    discussion: """
      Prints the address of a page. The page shows the ball, its lights, its connections, and each \
      packet layer by layer; it presses buttons and asks questions. It also explores any device \
      nearby. When the ball ends, the page waits for the next one.

      The address contains a secret: anyone with it can press, ask and explore. The panel listens only on \
      this machine unless --listen names a host; the connection is never encrypted.

      EXAMPLES
        eightball panel
        eightball panel --port 0
        eightball panel --control /run/eightball/control.sock --radio hci1
        eightball panel --listen 0.0.0.0

      EXIT STATUS
        0   ended by SIGINT, SIGTERM or SIGHUP
        64  the command line is wrong
        69  the port is in use, or eightball-panel is not installed
        74  the address cannot be written
      """)

  static var options: [ToolOption<ShowPanel>] {
    [
      .value(
        OptionRow(
          "--port", "<number>", "The TCP port of the page; 0 takes a free one. (default: 8818)")
      ) { $0.port = try $1.number("a port from 0 to 65535") },
      .value(.control) { $0.control = try $1.path() },
      .value(
        OptionRow(
          "--radio", "<radio>",
          "The radio of the page's centrals. Default: the ball's, if programs can share it.")
      ) { $0.radio = $1.text },
      .value(
        OptionRow(
          "--listen", "<host>",
          "The host to listen on; 0.0.0.0 for all addresses. Default: this machine's loopback.")
      ) { $0.listen = $1.text },
    ]
  }

  var port: UInt16 = 8_818
  var control: String?
  var radio: String?
  var listen: String?

  func validate() throws(UsageError) {
    if let radio {
      do throws(RadioTextError) {
        _ = try RadioAddress(radio)
      } catch {
        throw UsageError("--radio \(radio): \(error.description).")
      }
    }
    guard listen != "" else { throw UsageError("--listen is empty: give a host.") }
  }

  func run() throws {
    guard let server = PanelProgram.path else {
      Terminal.note("Error: \(PanelProgram.isMissing).")
      throw ExitStatus.unavailable
    }
    guard !Terminal.isOutputMissing else {
      Terminal.lose(EBADF)
      throw ExitStatus.output
    }
    var arguments = [server, "--port", "\(port)", "--eightball", CurrentProcess.programPath]
    if let control { arguments += ["--control", control] }
    if let radio { arguments += ["--radio", radio] }
    if let listen { arguments += ["--listen", listen] }
    let failure = PanelProgram.become(arguments)
    Terminal.note("Error: \(sentence(failure.description))")
    throw ExitStatus.unavailable
  }
}

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
      """,
    requiredOption: "--listen")

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
      ) { $0.control.append(try $1.path()) },
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
    try reportingErrors(with: { printError($0, reason: $1, isJSON: isJSON) }) {
      guard let listen else { return }
      let listener = try MetricsListener(listen)
      Terminal.print(listener.line(isJSON: isJSON))
      try listener.become(control: control)
    }
  }
}

/// The server of the panel and of metrics. It is a separate program, so that building it is
/// optional.
enum PanelProgram {
  /// The name of its file.
  static let name = "eightball-panel"

  /// Its path: beside this program, or where a package installs it; `nil` if it is missing.
  static var path: String? {
    let folder = CurrentProcess.programPath.split(separator: "/", omittingEmptySubsequences: false)
      .dropLast().joined(separator: "/")
    return ["\(folder)/\(name)", "\(folder)/../libexec/eightball/\(name)"]
      .first { unsafe access($0, X_OK) == 0 }
  }

  /// What is wrong if it is missing, and what to do, without a full stop.
  static var isMissing: String {
    "\(name) is missing: install the package \(name), or in a checkout build it with scripts/build "
      + "panel. It is expected beside \(CurrentProcess.programPath) or in ../libexec/eightball"
  }

  /// Replaces this process by the program `arguments[0]`: execv(3). Returns the error if that
  /// fails.
  static func become(_ arguments: [String]) -> SystemError {
    let program = arguments.first ?? ""
    var texts = unsafe arguments.map { unsafe strdup($0) } + [nil]
    unsafe execv(program, &texts)
    let code = errno
    unsafe texts.forEach { unsafe free($0) }
    return SystemError(ErrorNumber(rawValue: code), "start", program)
  }
}
