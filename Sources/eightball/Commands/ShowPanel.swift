import LinuxPort
import LinuxRadio
import LinuxSystem

/// Serves a page that shows a ball, by executing eightball-panel in place of this program.
struct ShowPanel: Command {
  static let page = CommandPage(
    name: "panel",
    abstract: "Show the running ball on a page in a browser.",
    discussion: """
      Prints the address of a page. The page shows the ball, its lights, its connections, and each \
      packet layer by layer; it presses buttons and asks questions. When the ball ends, the page \
      waits for the next one.

      The address contains a secret: anyone with it can press and ask. The panel listens only on \
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
      """)

  static var options: [ToolOption<ShowPanel>] {
    [
      .value(
        OptionRow(
          "--port", "<number>", "The TCP port of the page; 0 takes a free one. (default: 8818)")
      ) { $0.port = try $1.number() },
      .value(.control) { $0.control = $1.text },
      .value(
        OptionRow(
          "--radio", "<radio>",
          "The radio for questions from the page, if programs cannot share the ball's radio.")
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
    var arguments = [server, "--port", "\(port)", "--eightball", CurrentProcess.programPath]
    if let control { arguments += ["--control", control] }
    if let radio { arguments += ["--radio", radio] }
    if let listen { arguments += ["--listen", listen] }
    let failure = PanelProgram.become(arguments)
    Terminal.note("Error: \(sentence(failure.description))")
    throw ExitStatus.unavailable
  }
}
