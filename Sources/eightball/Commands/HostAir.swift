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
        eightball radio --limit 1000
        eightball radio --listen unix:/tmp/air.sock
        eightball radio --listen tcp-server:127.0.0.1:7300 --verbose

      Programs reach the last two with --radio unix:/tmp/air.sock and with \
      --radio tcp-client:127.0.0.1:7300.

      EXIT STATUS
        0   ended by SIGINT, SIGTERM or SIGHUP
        64  the command line is wrong
        69  it cannot listen there, or this system has no room for so many radios
      """)

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where to listen: unix:PATH, or tcp-server:HOST:PORT; the usual air unless told.",
      valueName: "where"),
    transform: { try HostAir.place($0) })
  var listen: RadioName?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "How many radios may be on the air at once: 1 to 10000.", valueName: "number"))
  var limit = AirServer.usualMaximumClients

  @Flag(name: .long, help: "Print who joins and who leaves.")
  var verbose = false

  func validate() throws {
    guard (1...10_000).contains(limit) else {
      throw ValidationError("An air takes 1 to 10000 radios at once, not \(limit).")
    }
  }

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
    let room = FileLimit.makeRoom(for: limit)
    guard room >= limit else {
      Terminal.note(
        "Error: This system lets the air have \(max(room, 0)) radios, not \(limit): each takes an "
          + "open file. Name a smaller --limit, or allow this program more open files (ulimit -Hn)."
      )
      throw ExitStatus.unavailable
    }
    let server = AirServer(
      air: VirtualAir(now: MonotonicClock.now), loop: loop, maximumClients: limit)
    server.onNotice = { [verbose, limit] notice in
      switch notice {
      case .joined, .left, .dropped: if verbose { Terminal.note("\(notice).") }
      case .full:
        Terminal.note(
          "The air is full (\(limit) \(limit == 1 ? "radio" : "radios")): a program was refused. End "
            + "one, or start the air with a greater --limit.")
      case .cannotAccept: Terminal.note(sentence(notice.description))
      }
    }
    let place: String
    switch listen {
    case .unix(let path):
      try server.listen(on: try StreamListener(path: path))
      place = "--radio unix:\(path)"
    case .tcpServer(let host, let port):
      // A name's address may take long to find, and the signals are the loop's already.
      let found = try HostCall<StreamListener>.wait(for: host, port, in: loop, endedBy: signals) {
        (host, port) throws(SystemError) in try StreamListener(host: host, port: port)
      }
      guard let listener = found else { return }
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
