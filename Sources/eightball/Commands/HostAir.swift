#if Tools
import ArgumentParser
import LinuxRadio
import LinuxSystem
import VirtualRadio

/// Hosts the virtual air, and nothing else.
struct HostAir: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "radio",
    abstract: "Host the virtual air, for other programs to join.",
    discussion: """
      Each connection is one new Bluetooth controller, spoken to in H4; controllers hear each \
      other. Programs with --radio virtual join the usual air by themselves, and need none \
      hosted: this is for an air that outlives them, or that others reach.

      EXAMPLES
        eightball radio
        eightball radio --listen unix:/tmp/air.sock
        eightball radio --listen tcp-server:127.0.0.1:7300 --verbose

      Programs reach the last two with --radio unix:/tmp/air.sock and with \
      --radio tcp-client:127.0.0.1:7300.

      EXIT STATUS
        0   ended by SIGINT, SIGTERM or SIGHUP
        64  the command line is wrong
        69  it cannot listen there
      """)

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where to listen: unix:PATH, or tcp-server:HOST:PORT; the usual air unless told.",
      valueName: "where"),
    transform: { try HostAir.place($0) })
  var listen: RadioName?

  @Flag(name: .long, help: "Tell who joins and who leaves.")
  var verbose = false

  /// Where to listen: two of the forms that a radio's name has.
  private static func place(_ text: String) throws -> RadioName {
    switch try? RadioName(text) {
    case .unix(let path): return .unix(path: path)
    case .tcpServer(let host, let port): return .tcpServer(host: host, port: port)
    default: throw ValidationError("An air listens at unix:PATH or tcp-server:HOST:PORT.")
    }
  }

  func run() throws {
    do {
      try host()
    } catch let error as SystemError {
      Terminal.note("Error: \(sentence(error.description))")
      throw ExitStatus.unavailable
    }
  }

  private func host() throws {
    let loop = try EventLoop()
    let signals = try TerminationSignals(loop: loop)
    let server = AirServer(air: VirtualAir(now: MonotonicClock.now), loop: loop)
    if verbose { server.onNotice = { Terminal.note("\($0).") } }
    let place: String
    switch listen {
    case .unix(let path):
      try server.listen(on: try StreamListener(path: path))
      place = "--radio unix:\(path)"
    case .tcpServer(let host, let port):
      let listener = try StreamListener(host: host, port: port)
      place = "--radio tcp-client:\(host == "_" ? "HOST" : host):\(listener.port)"
      try server.listen(on: listener)
    default:
      try server.listen(on: try StreamListener(path: SharedAir.usualPath))
      place = "--radio virtual"
    }
    Terminal.note("Hosting the air; programs join with \(place).")
    while signals.count == 0 {
      server.advance(to: MonotonicClock.now)
      try loop.wait(until: server.deadline)
    }
    server.close()
  }
}
#endif
