import BallRunner
import BluetoothHost
import EightBall
import LinuxPort
import LinuxRadio

/// Runs a ball.
struct Run: Command {
  static let page = CommandPage(
    name: "run",
    abstract: "Run a ball: advertise, take questions, answer them.",
    discussion: """
      It serves four centrals at once, and runs until SIGINT, SIGTERM or SIGHUP. If it loses its \
      radio, it keeps retrying. Each central causes at most 500 lines at once, then 20 a second; a \
      line says how many were left out. If the reader is slow, lines are dropped and counted.

      With --security a central must pair before it asks. Pairing is open for a minute after shake \
      was held for 3 s, and after the start of a ball without bonds; the status light pulses \
      meanwhile. It closes when a central has paired, unless --pairing-window keeps it open. A ball \
      with 16 bonds takes no other: eightball bonds --remove makes room. Holding clear for 10 s forgets the bonds. They are kept in \
      $XDG_STATE_HOME/eightball/ball.bonds (default: in ~/.local/state): see eightball bonds.

      EXAMPLES
        eightball run
        eightball run --name "Kitchen Ball" --radio hci0
        eightball run --radio virtual --seed 8 --json
        eightball run --radio serial:/dev/ttyUSB0,115200 --capture ball.btsnoop
        eightball run --board virtual
        eightball run --board pi-4b --set shake.line=GPIO23
        eightball run --security authenticated --board virtual
        eightball run --metrics 127.0.0.1:9888

      EXIT STATUS
        0   ended by SIGINT, SIGTERM or SIGHUP
        1   an unexpected failure
        64  the command line is wrong
        69  the radio or the port for the metrics cannot be used
        78  the board is wrong or unknown
      """)

  /// How answers are worded.
  enum Answers: String, CaseIterable {
    case text
    case slugs

    var style: AnswerFormat { self == .text ? .text : .slug }
  }

  /// What a ball requires of a link, as `--security` names it.
  enum Security: String, CaseIterable {
    case none
    case encrypted
    case authenticated

    /// `nil` for an open ball.
    var protection: BallProtection? {
      switch self {
      case .none: nil
      case .encrypted: .encrypted
      case .authenticated: .authenticated
      }
    }
  }

  static var options: [ToolOption<Run>] {
    [
      .value(.name) { $0.name = BallName(text: $1.text) },
      .value(.answers) { $0.answers = try $1.name() },
      .value(.seed) { $0.seed = try $1.seed() },
      .value(.idleLimit) { $0.idleLimit = try $1.number("0 to 1440 minutes") },
      .value(.security) { $0.security = try $1.name() },
      .flag(.pairingWindow) { $0.keepsPairingOpen = true },
      .flag(.privacy) { $0.isPrivate = true },
      .value(.ballControl) { $0.control = $1.isGiven ? try $1.path() : nil },
      .flag(.allowRemoteButtons) { $0.allowRemoteButtons = true },
      .value(.advertise) { $0.advertising = try $1.name() },
      .value(.phy) { $0.phy = try $1.name() },
      .value(.address) { $0.addressOptions.address = try $1.address() },
      .value(.board) { $0.boardOptions.board = $1.text },
      .value(.set) { try $0.boardOptions.add($1) },
      .value(.radio) { $0.radioOptions.radio = try $1.radio() },
      .flag(.verbose) { $0.radioOptions.verbose = true },
      .value(.capture) { $0.radioOptions.capture = try $1.path() },
      .value(.metrics) { $0.metrics = try $1.metricsAddress() },
      .flag(.json) { $0.isJSON = true },
      .flag(.quiet) { $0.isQuiet = true },
    ]
  }

  var name = BallName.usual
  var answers = Answers.text
  var seed: UInt64?
  var idleLimit: UInt16 = 5
  var security = Security.none
  var keepsPairingOpen = false
  var isPrivate = false
  var advertising = AdvertisingChoice.legacy
  var phy: PHYChoice?
  var control: String?
  var allowRemoteButtons = false
  var addressOptions = AddressOptions()
  var boardOptions = BoardOptions()
  var radioOptions = RadioOptions()
  var metrics: MetricsAddress?
  var isJSON = false
  var isQuiet = false

  func validate() throws(UsageError) {
    try name.validate(isExtended: advertising != .legacy)
    guard phy == nil || advertising != .legacy else {
      throw UsageError(
        "--phy is about extended advertising: add --advertise extended, or --advertise both.")
    }
    try addressOptions.validate(on: radioOptions.radio)
    guard !isQuiet || !isJSON else {
      throw UsageError("--quiet and --json exclude each other: give one of them.")
    }
    guard !keepsPairingOpen || security != .none else {
      throw UsageError(
        "--pairing-window keeps pairing open, and a ball pairs only with --security: add --security "
          + "encrypted or authenticated.")
    }
    guard !isPrivate || security != .none else {
      throw UsageError(
        "--private requires bonds, by which peers recognise the ball: add --security encrypted or "
          + "authenticated.")
    }
    guard !isPrivate || addressOptions.address == nil else {
      throw UsageError("--private and --address exclude each other: give one of them.")
    }
    guard security != .authenticated || hasUser || pairsElsewhere else {
      throw UsageError(
        "--security authenticated needs a terminal to show a number and read yes or no, and there "
          + "is none\(isQuiet ? " with --quiet" : ""): run it on one, or give --security encrypted."
      )
    }
    guard !pairsElsewhere || !isPrivate && !keepsPairingOpen else {
      throw UsageError(
        "With --radio bluez:hciN, bluetoothd chooses the address and pairs: leave --private and "
          + "--pairing-window out.")
    }
    guard idleLimit <= 1_440 else {
      throw UsageError("--idle-limit takes 0 to 1440 minutes, not \(idleLimit).")
    }
  }

  /// Whether bluetoothd pairs, and not this program.
  private var pairsElsewhere: Bool { radioOptions.radio?.isBesideDaemon ?? false }

  /// Whether a user sees the numbers of a pairing, and answers.
  private var hasUser: Bool { PairingUser.hasTerminal && !isQuiet }

  func run() throws {
    try reportingErrors(with: { printError($0, reason: $1, isJSON: isJSON) }) {
      let board = try ChosenBoard(boardOptions)
      let radio = ChosenRadio(radioOptions.radio, board: board.description)
      let metrics = try self.metrics.map { try MetricsListener($0) }
      let screen = Screen()
      var port = try TerminalPort(
        radio.name, board.description, ballName: try deviceName,
        radioOptions, screen: screen, hasUser: hasUser && security != .none)
      if radio.name.isBesideDaemon { port.protectValues(by: security.protection ?? .none) }
      guard let protection = security.protection, !radio.name.isBesideDaemon else {
        // Every central may ask, or bluetoothd protects the values.
        var runner = BallRunner<4, 2_053, 8_192, 8_192, TerminalPort>(
          try configuration(), on: port)
        return try run(&runner, board, radio, metrics)
      }
      var bonds = BondTable<16>()
      let known = port.openBonds(into: &bonds)
      let isAddressTemporary = radio.name == .virtual
      let random =
        isPrivate
        ? AirRandom(of: port.time, seed: seed) { Self.privateIdentity(known, from: $0) }
        : AirRandom(
          of: port.time, seed: seed, try addressOptions.choice,
          isAddressNew: isAddressTemporary && known?.address.kind != .random)
      let identity = isPrivate ? Self.privateIdentity(known, from: random) : known
      let configuration = try configuration(
        knownAs: identity?.address, isAddressTemporary: isAddressTemporary)
      var security = BallSecurityManager<4, AirRandom>(
        policy: protection.policy(hasUser: hasUser, staysOpen: keepsPairingOpen),
        identity: identity, bonds: bonds,
        delegate: PairingGate(protection), agreement: P256KeyAgreement(), random: random)
      security.privacy.hidesIdentity = isPrivate
      var runner = ProtectedBallRunner<
        4, 2_053, 8_192, 8_192, TerminalPort, BallSecurityManager<4, AirRandom>
      >(configuration, security: security, on: port)
      try run(&runner, board, radio, metrics)
    }
  }

  /// Runs a ball until its end.
  private func run<Security: BallSecurity & ~Copyable>(
    _ runner: inout ProtectedBallRunner<4, 2_053, 8_192, 8_192, TerminalPort, Security>,
    _ board: ChosenBoard, _ radio: ChosenRadio, _ metrics: MetricsListener?
  ) throws {
    defer { runner.port.close() }
    if lines == .words {
      for line in [board.sentence, radio.sentence] { runner.print(Array(line.utf8).span) }
    }
    if let metrics { runner.print(Array(metrics.line(isJSON: isJSON).utf8).span) }
    advertise(with: &runner)
    try runner.port.open(
      at: control, allowsRemoteButtons: allowRemoteButtons, drawsBall: lines == .words)
    let server = try metrics?.serve(control: runner.port.controlPath)
    defer { server?.close() }
    switch runner.run() {
    case .asked: break
    case .noRadio: throw ExitStatus.unavailable
    case .noWait: if let failure = runner.port.waitError { throw failure }
    }
  }

  /// Gives the ball its extended advertising, if requested.
  private func advertise<Security: BallSecurity & ~Copyable>(
    with runner: inout ProtectedBallRunner<4, 2_053, 8_192, 8_192, TerminalPort, Security>
  ) {
    guard advertising != .legacy else { return }
    let name = Array(self.name.text.utf8)
    let services = InlineArray<1, BluetoothUUID>(repeating: .ballService)
    var data = ByteBuffer<245>()
    data.write { writer in
      // Flags: LE General Discoverable, BR/EDR not supported. Supplement, Part A, 1.3.
      for byte in [2, AdvertisingDataType.flags.rawValue, 0x06] as [UInt8] { writer.write(byte) }
      writer.write(UInt8(17))
      writer.write(AdvertisingDataType.completeServiceUUIDs128.rawValue)
      services[0].write(to: &writer)
      writer.write(UInt8(truncatingIfNeeded: name.count + 1))
      writer.write(AdvertisingDataType.completeLocalName.rawValue)
      writer.write(name.span)
    }
    // The name was checked, so the data fits.
    _ = runner.advertise(
      advertising == .both ? Advertisement(services: services.span, name: name.span) : nil,
      AdvertisingSet(.connectable, phy: phy?.phy ?? .le1M), data.span)
  }

  private var deviceName: DeviceName {
    get throws {
      // The name in the GAP service is short: extended advertising has the whole one.
      guard let name = DeviceName(prefixOf: Array(name.text.utf8).span) else {
        throw ExitStatus.usage
      }
      return name
    }
  }

  private var lines: LineFormat { isJSON ? .json : isQuiet ? .none : .words }

  /// The identity of a ball that uses private addresses: the known one if it has an identity
  /// resolving key. Peers get it when they pair.
  private static func privateIdentity(
    _ known: LocalIdentity?, from random: AirRandom
  ) -> LocalIdentity {
    if let known, known.identityResolvingKey != .zero { return known }
    var random = random
    let address = known.flatMap { $0.address.kind == .random ? $0.address : nil }
    return LocalIdentity(
      identityResolvingKey: random.nextNumber(),
      address: address ?? .newStaticRandom(from: &random))
  }

  /// - Parameters:
  ///   - known: The address that the ball had before; `nil` for a new one.
  ///   - isAddressTemporary: Whether the controller has another public address each time, as on the
  ///     virtual air, so that bonded peers would not find the ball.
  private func configuration(
    knownAs known: DeviceAddress? = nil, isAddressTemporary: Bool = false
  ) throws -> BallConfiguration {
    let address = try addressOptions.choice
    let random = known.flatMap { $0.kind == .random ? $0 : nil } ?? .newStaticRandom()
    let own =
      isPrivate || isAddressTemporary && address == .automatic
      ? OwnAddress.random(random) : address.own(orRandom: random)
    let host = HostConfiguration(
      name: try deviceName, service: .ballService, address: own,
      idleLimit: idleLimit == 0 ? nil : idleLimit)
    return BallConfiguration(
      host: host, seed: seed ?? .random(in: .min ... .max), style: answers.style,
      lines: lines)
  }
}
