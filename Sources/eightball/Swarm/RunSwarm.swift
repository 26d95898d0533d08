import BallControl
import LinuxPort
import LinuxRadio
import VirtualRadio

/// Runs many balls.
struct RunSwarm: Command {
  static let page = CommandPage(
    name: "swarm",
    abstract: "Run many balls at once, to test a central app.",
    discussion: """
      Each ball has its own address, name, connections and answers. --seed decides all of them and \
      the faults: the same seed gives the same swarm. Ball 7 of 10 and ball 7 of 1000 are the same \
      ball. It runs until SIGINT, SIGTERM or SIGHUP.

      It prints questions, answers and problems of all balls: 500 lines at once, then 20 a second; \
      a line says how many were left out. --json has no such limit, and each line has the number \
      of the ball. If a ball causes more than 3 kB of lines at a time, it drops and counts the rest.

      --drop and --vanish are faults of the air that the swarm hosts. A connection that drops ends \
      for both sides (reason 0x13); a ball that vanishes falls silent, and both notice after the \
      supervision timeout (reason 0x08). Each fault happens at one of the first 20 packets of the \
      central. If another program hosts the air, it takes the options: eightball radio.

      EXAMPLES
        eightball swarm
        eightball swarm --count 1000 --name "Ball %04d" --seed 8
        eightball swarm --count 20 --name "Magic 8-Ball"
        eightball swarm --count 10 --connections 2 --json
        eightball swarm --count 50 --drop-every 30s
        eightball swarm --count 50 --drop 10 --vanish 5 --seed 8
        eightball swarm --metrics 9888
        eightball swarm --peripheral heart-rate.conf --count 1000 --seed 8

      EXIT STATUS
        0   ended by SIGINT, SIGTERM or SIGHUP
        1   an unexpected failure
        64  the command line is wrong
        69  the radio or the port for the metrics cannot be used, or the radio is full
        78  the file of --peripheral is wrong, or cannot be read
      """)

  static var options: [ToolOption<RunSwarm>] {
    [
      .value(OptionRow("--count", "<number>", "How many balls: 1 to 10000. (default: 100)")) {
        $0.count = try $1.number("1 to 10000 balls")
      },
      .value(
        OptionRow(
          "--peripheral", "<file>",
          """
          Not balls, but peripherals of this file: see eightball peripheral. Their name and their \
          connections are those of the file, unless options set them.
          """)
      ) { $0.peripheral = try $1.path() },
      .value(
        OptionRow(
          "--name", "<name>",
          """
          The name of each ball: 1 to 29 bytes of UTF-8. %d stands for the number of the ball, from \
          1, and %03d for three digits; without it all have the same name. %% is a percent sign. \
          (default: Ball %03d)
          """)
      ) {
        do throws(NamePatternError) {
          $0.name = try NamePattern($1.text)
        } catch {
          throw $1.invalid(": \(error.description)")
        }
      },
      .value(
        OptionRow(
          "--connections", "<number>",
          """
          How many centrals each ball serves at once: 1 to 4. When full, it does not advertise. \
          (default: 1)
          """)
      ) { $0.connections = try $1.number("1 to 4 centrals") },
      .value(
        OptionRow(
          "--seed", "<number>",
          "Decides all addresses, answers and faults. Default: random.")
      ) { $0.seed = try $1.seed() },
      .value(.answers) { $0.answers = try $1.name() },
      .value(.drop) { $0.faults.drops = try $1.number("0 to 100 percent") },
      .value(.vanish) { $0.faults.vanishings = try $1.number("0 to 100 percent") },
      .value(
        OptionRow(
          "--drop-every", "<time>",
          """
          All balls end all connections at once, each time that this period passes, such as 30s.
          """)
      ) { $0.dropEvery = try $1.time(upTo: TimeOption.hour) },
      .value(
        OptionRow(
          "--radio", "<radio>",
          """
          The controllers to use: virtual, unix:PATH or tcp-client:HOST:PORT, which each serve many \
          balls. Default: virtual.
          """)
      ) { $0.radio = try $1.radio() },
      .value(
        OptionRow(
          "--control", "<path>",
          """
          Where programs ask for the figures of all balls, such as eightball metrics. Default: no \
          such socket, except for --metrics.
          """)
      ) { $0.control = try $1.path() },
      .value(.metrics) { $0.metrics = try $1.metricsAddress() },
      .flag(.json) { $0.isJSON = true },
      .flag(.quiet) { $0.isQuiet = true },
    ]
  }

  var count = 100
  var peripheral: String?
  var name: NamePattern?
  var connections: Int?
  var seed: UInt64?
  var answers = Run.Answers.text
  var faults = ConnectionFaults()
  var dropEvery: TimeOption?
  var radio = RadioAddress.virtual
  var control: String?
  var metrics: MetricsAddress?
  var isJSON = false
  var isQuiet = false

  func validate() throws(UsageError) {
    guard (1...SwarmConfiguration.maximumCount).contains(count) else {
      throw UsageError(
        "--count takes 1 to \(SwarmConfiguration.maximumCount) balls, not \(count).")
    }
    guard (1...SwarmConfiguration.maximumConnections).contains(connections ?? 1) else {
      throw UsageError(
        "--connections takes 1 to \(SwarmConfiguration.maximumConnections) centrals, not \(connections ?? 0)."
      )
    }
    do throws(NamePatternError) {
      try name?.validate(count: count)
    } catch {
      throw UsageError(printable("\(error.description)."))
    }
    try faults.validate()
    guard faults == ConnectionFaults() || radio == .virtual else {
      throw UsageError(
        "--drop and --vanish are faults of the air: give them to the eightball radio that hosts "
          + "\(radio).")
    }
    guard !isQuiet || !isJSON else {
      throw UsageError("--quiet and --json exclude each other: give one of them.")
    }
    guard peripheral == nil || control == nil && metrics == nil else {
      throw UsageError(
        "--control and --metrics have the counts of balls: leave them out with --peripheral.")
    }
    if let error = SwarmConfiguration.error(for: radio) {
      throw UsageError("\(error).")
    }
  }

  /// The configuration from the options.
  var swarm: SwarmConfiguration {
    var swarm = SwarmConfiguration(
      count: count, names: name ?? .usual,
      seed: SwarmSeed(rawValue: seed ?? .random(in: .min ... .max)))
    swarm.connections = connections ?? 1
    swarm.style = answers.style
    swarm.lines = isJSON ? .json : isQuiet ? .none : .words
    swarm.faults = faults
    swarm.stormPeriod = dropEvery?.milliseconds
    swarm.radio = radio
    return swarm
  }

  func run() throws {
    let complain = { printError($0, reason: $1, isJSON: isJSON) }
    var configuration = swarm
    if let peripheral {
      let file = try LoadedPeripheral.reportingErrors(of: peripheral, isJSON: isJSON)
      configuration.names = name ?? NamePattern(same: file.peripheral.name)
      configuration.connections = connections ?? file.peripheral.connections
      configuration.file = file
    }
    try reportingErrors(with: complain) {
      let metrics = try self.metrics.map { try MetricsListener($0) }
      let loop = try EventLoop()
      let signals = try TerminationSignals(loop: loop)
      do {
        let balls = try Swarm(configuration, loop: loop)
        let server = try serveFigures(of: balls, at: metrics)
        defer { server?.close() }
        try balls.run(until: signals)
      } catch let error as SwarmError {
        complain(sentence(error.description), "radio")
        throw ExitStatus.unavailable
      }
    }
  }

  /// Lets programs ask for the figures of the swarm, and serves its metrics, if the options say so.
  private func serveFigures(of swarm: Swarm, at metrics: MetricsListener?) throws -> MetricsServer?
  {
    guard metrics != nil || control != nil else { return nil }
    let path = try swarm.listen(at: control.map { [$0] } ?? ControlPath.ofSwarm)
    guard let metrics else { return nil }
    if !isQuiet { Terminal.print(metrics.line(isJSON: isJSON)) }
    return try metrics.serve(control: path)
  }
}
