import BluetoothHost
import LinuxAir
import LinuxPort
import LinuxRadio
import VirtualRadio

/// Hosts the virtual air.
struct HostAir: Command {
  static let page = CommandPage(
    name: "radio",
    abstract: "Host the virtual air, for other programs to join.",
    discussion: """
      Each connection is one new Bluetooth controller that speaks H4; the controllers hear each \
      other. --radio virtual starts an air automatically; use this command for a persistent or \
      remote one.

      EXAMPLES
        eightball radio
        eightball radio --limit 1000
        eightball radio --listen unix:/tmp/air.sock
        eightball radio --loss 5 --area 50 --seed 8
        eightball radio --drop 10 --vanish 5 --seed 8
        eightball radio --time simulated --radios 2
        eightball radio --vhci 1
        eightball radio --listen tcp-server:127.0.0.1:7300 --verbose

      Programs reach an air at /tmp/air.sock with --radio unix:/tmp/air.sock, and the last one with \
      --radio tcp-client:127.0.0.1:7300.

      EXIT STATUS
        0   ended by SIGINT, SIGTERM or SIGHUP
        64  the command line is wrong
        69  it cannot listen there, or cannot open /dev/vhci or enough files
      """)

  static var options: [ToolOption<HostAir>] {
    [
      .value(
        OptionRow(
          "--listen", "<where>",
          """
          Where to listen: unix:PATH or tcp-server:HOST:PORT. Default: the socket of --radio virtual.
          """)
      ) {
        guard let name = Self.name($1.text) else {
          throw $1.invalid(": --listen takes unix:PATH or tcp-server:HOST:PORT.")
        }
        $0.listen = name
      },
      .value(
        OptionRow(
          "--limit", "<number>",
          "How many radios may be on the air at once: 1 to 10000. (default: 64)")
      ) { $0.limit = try $1.number("1 to 10000 radios") },
      .value(
        OptionRow(
          "--vhci", "<number>",
          """
          How many adapters to add to this machine's kernel, by /dev/vhci. BlueZ and the programs that \
          use it are on the air then. Default: none.
          """)
      ) { $0.adapters = try $1.number("a number of adapters") },
      .flag(
        OptionRow(
          "--link-layer",
          """
          Carry data at connection events, as much as fits there on the PHY, as hardware does. \
          Default: at once.
          """)
      ) { $0.hasLinkLayer = true },
      .value(
        OptionRow(
          "--loss", "<percent>",
          """
          The percentage of packets that are lost; those of a link are sent again: 0 to 100. Implies \
          --link-layer.
          """)
      ) { $0.loss = try $1.number("0 to 100 percent") },
      .value(
        OptionRow(
          "--area", "<metres>",
          """
          The side of the square on which the radios stand: distance weakens signals. 1 to 10000. \
          Implies --link-layer.
          """)
      ) { $0.area = try $1.number("1 to 10000 metres") },
      .flag(
        OptionRow(
          "--collisions",
          """
          Lose advertisements that overlap at a scanner, as on hardware: many advertisers disturb each \
          other. Implies --link-layer.
          """)
      ) { $0.hasCollisions = true },
      .value(.drop) { $0.faults.drops = try $1.number("0 to 100 percent") },
      .value(.vanish) { $0.faults.vanishings = try $1.number("0 to 100 percent") },
      .value(
        OptionRow(
          "--seed", "<number>",
          "Decides what is lost or fails, where radios stand, and their random numbers. (default: 0)"
        )
      ) { $0.seed = try $1.seed() },
      .value(
        OptionRow(
          "--time", "<clock>",
          """
          real or simulated: with simulated time one clock for all programs jumps to the next event \
          when all are idle, and keys come from the seed, for tests. For the commands of eightball, and \
          apps on CoreBluetooth. (default: real)
          """)
      ) {
        guard ["real", "simulated"].contains($1.text) else {
          throw $1.invalid(": --time takes real or simulated.")
        }
        $0.isTimeSimulated = $1.text == "simulated"
      },
      .value(
        OptionRow(
          "--radios", "<number>",
          "How many radios must have joined before simulated time passes. (default: 1)")
      ) { $0.radios = try $1.number("a number of radios") },
      .flag(OptionRow("--verbose", "Print who joins and who leaves.")) { $0.verbose = true },
    ]
  }

  var listen: RadioAddress?
  var limit = AirServer.defaultMaximumClients
  /// How many adapters of this machine's kernel join.
  var adapters = 0
  var hasLinkLayer = false
  var loss: Int?
  var area: Int?
  var hasCollisions = false
  var faults = ConnectionFaults()
  var seed: UInt64 = 0
  var isTimeSimulated = false
  var radios: Int?
  var verbose = false

  /// The model of the link layer; `nil` without one.
  var linkLayer: LinkLayerModel? {
    guard hasLinkLayer || loss != nil || area != nil || hasCollisions else { return nil }
    return LinkLayerModel(
      packetLoss: Double(loss ?? 0) / 100, area: area.map { Double($0) },
      hasCollisions: hasCollisions)
  }

  func validate() throws(UsageError) {
    guard (1...10_000).contains(limit) else {
      throw UsageError("--limit takes 1 to 10000 radios, not \(limit).")
    }
    guard (0...limit).contains(adapters) else {
      throw UsageError(
        "--vhci takes up to \(limit) adapters, the limit of the air, not \(adapters).")
    }
    guard adapters == 0 || !isTimeSimulated else {
      throw UsageError("--vhci needs --time real: the kernel has a clock of its own.")
    }
    if let radios {
      guard isTimeSimulated else { throw UsageError("--radios needs --time simulated.") }
      guard (1...limit).contains(radios) else {
        throw UsageError(
          "--radios takes 1 to \(limit) radios, the limit of the air, not \(radios).")
      }
    }
    try faults.validate()
    if let loss, !(0...100).contains(loss) {
      throw UsageError("--loss takes 0 to 100 percent, not \(loss).")
    }
    if let area, !(1...10_000).contains(area) {
      throw UsageError("--area takes 1 to 10000 metres, not \(area).")
    }
  }

  /// Where to listen: two of the forms of a radio's name.
  private static func name(_ text: String) -> RadioAddress? {
    let address = try? RadioAddress(text)
    switch address?.way {
    case .unix: return .unix(path: address?.place ?? "")
    case .tcpServer: return address
    default: return nil
    }
  }

  /// Listens at the socket of `--radio virtual`.
  private static func defaultListener() throws(SystemError) -> StreamListener {
    let path = SharedAir.defaultPath
    do throws(SystemError) {
      return try StreamListener(path: path)
    } catch {
      guard error.code == .addressInUse else { throw error }
      throw SystemError(
        error.code, error.operation, path,
        explanation: "another program hosts the air there; end it, and start this one first")
    }
  }

  func run() throws {
    do {
      try host()
    } catch let error where error is SystemError || error is RadioError {
      Terminal.note("Error: \(sentence("\(error)"))")
      throw ExitStatus.unavailable
    }
  }

  private func host() throws {
    let loop = try EventLoop()
    let signals = try TerminationSignals(loop: loop)
    let room = FileLimit.makeRoom(for: limit)
    guard room >= limit else {
      Terminal.note(
        "Error: The limit on open files allows \(max(room, 0)) radios, not \(limit). Give a "
          + "smaller --limit, or allow this program more open files (ulimit -Hn)."
      )
      throw ExitStatus.unavailable
    }
    let air = VirtualAir(
      now: isTimeSimulated ? Instant(rawValue: 0) : MonotonicClock.now, seed: seed)
    air.linkLayer = linkLayer
    air.connectionFaults = faults
    let server = AirServer(
      air: air, maximumClients: limit, simulatingTimeFrom: isTimeSimulated ? radios ?? 1 : nil,
      loop: loop)
    server.onNotice = { [verbose, limit, isTimeSimulated] notice in
      switch notice {
      case .joined, .left: if verbose { Terminal.note("\(notice).") }
      case .dropped: if verbose || isTimeSimulated { Terminal.note("\(notice).") }
      case .full:
        Terminal.note(
          "The virtual air is full (\(limit) \(limit == 1 ? "radio" : "radios")): refused a "
            + "program. End one, or start the air with a greater --limit.")
      case .adapter, .waiting, .tooFewRadios, .cannotAccept:
        Terminal.note(sentence(notice.description))
      }
    }
    let name: String
    let place = listen?.place ?? ""
    switch listen?.way {
    case .unix:
      try server.listen(on: try StreamListener(path: place))
      name = "--radio unix:\(place)"
    case .tcpServer(let port):
      // Looking up a host's name may take long, and the loop already blocks the signals.
      let found = try TCPOpening<StreamListener>.wait(for: place, port, in: loop, endedBy: signals)
      {
        (host, port) throws(SystemError) in try StreamListener(host: host, port: port)
      }
      guard let listener = found else { return }
      name = "--radio tcp-client:\(place == "_" ? "HOST" : place):\(listener.port)"
      try server.listen(on: listener)
    default:
      try server.listen(on: try Self.defaultListener())
      name = "--radio virtual"
    }
    for _ in 0..<adapters { try server.addAdapter() }
    Terminal.note("Hosting the air; programs join with \(name).")
    while signals.count == 0 {
      server.advance(to: MonotonicClock.now)
      try loop.wait(until: server.deadline)
    }
    server.close()
  }
}

// The options of an air's faults, which a swarm has too.
extension OptionRow {
  /// Ends connections.
  static var drop: OptionRow {
    OptionRow(
      "--drop", "<percent>",
      "The percentage of connections that end early: 0 to 100. (default: 0)")
  }

  /// Silences peripherals.
  static var vanish: OptionRow {
    OptionRow(
      "--vanish", "<percent>",
      """
      The percentage of connections in which the peripheral falls silent, and returns after 1 to 5 s: \
      0 to 100. (default: 0)
      """)
  }
}

extension ConnectionFaults {
  /// - Throws: If the percentages are more than all connections.
  func validate() throws(UsageError) {
    guard drops <= 100, vanishings <= 100, drops + vanishings <= 100 else {
      throw UsageError(
        "--drop \(drops) and --vanish \(vanishings) add up to more than 100: give 100 or less "
          + "together.")
    }
  }
}
