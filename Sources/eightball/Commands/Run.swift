import ArgumentParser
import BallRunner
import BluetoothHost
import EightBall
import LinuxBoard
import LinuxRadio
import LinuxSystem

/// Runs a ball.
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run a ball: advertise, take questions, answer them.",
    discussion: """
      It serves four centrals at once, and runs until SIGINT, SIGTERM or SIGHUP. A radio that \
      is lost is waited for. The lines of one central are limited to 500 at once, and \
      then 20 a second; a line says how many were left out. A reader that does not read \
      loses lines, and gets their number.

      With --security a central pairs before it asks. It may do so for a minute after shake was held for 3 \
      s, and from the start of a ball that has no bonds; the status light pulses meanwhile. Clear, held for \
      10 s, forgets the bonds. They are kept in $XDG_STATE_HOME/eightball/ball.bonds, which is in \
      ~/.local/state unless set: see eightball bonds.

      EXAMPLES
        eightball run
        eightball run --name "Kitchen Ball" --radio hci0
        eightball run --radio virtual --seed 8 --json
        eightball run --radio serial:/dev/ttyUSB0,115200 --capture ball.btsnoop
        eightball run --board virtual
        eightball run --board pi-4b --set shake.line=GPIO23
        eightball run --security authenticated --board virtual

      EXIT STATUS
        0   ended by SIGINT, SIGTERM or SIGHUP
        1   something unexpected
        64  the command line is wrong
        69  the radio cannot be used
        78  the board's file is wrong, or there is none
      """)

  /// How answers are worded.
  enum Answers: String, ExpressibleByArgument, CaseIterable {
    case text
    case slugs

    var style: AnswerStyle { self == .text ? .text : .slug }
  }

  @Option(
    name: .long,
    help: ArgumentHelp(
      "What the ball is called: 1 to 29 bytes of UTF-8.", valueName: "name"))
  var name = BallName.usual

  @Option(
    name: .long,
    help: ArgumentHelp(
      "text: in English, for any app; slugs: SLUG-ANSWER-00 to -19, for apps that word them.",
      valueName: "text|slugs"))
  var answers = Answers.text

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Decides all answers: the same number, the same answers. A new one unless given.",
      valueName: "number"))
  var seed: UInt64?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "When all four places are taken, a central that has sent nothing for so long makes room for "
        + "another: 1 to 1440; 0 keeps every central.", valueName: "minutes"))
  var idleLimit: UInt16 = 5

  @Option(
    name: .long,
    help: ArgumentHelp(
      "What a central must have to ask: none; encrypted: a link that is encrypted; authenticated: and "
        + "the same number seen on both sides, which takes a terminal.",
      valueName: "none|encrypted|authenticated"))
  var security = SecurityOption.none

  @Flag(
    name: .customLong("private"),
    help: ArgumentHelp(
      "Go by private addresses, a new one every 15 minutes: only who has paired with the ball knows it again. "
        + "Takes --security."))
  var isPrivate = false

  @OptionGroup var addressOptions: AddressOptions
  @OptionGroup var boardOptions: BoardOptions
  @OptionGroup var radioOptions: RadioOptions
  @OptionGroup var output: OutputOptions

  @Flag(name: .customLong("quiet"), help: "Print only what goes wrong.")
  var isQuiet = false

  func validate() throws {
    try name.validate()
    guard !isQuiet || !output.json else {
      throw ValidationError("--quiet and --json exclude each other: give one of them.")
    }
    guard !isPrivate || security != .none else {
      throw ValidationError(
        "--private takes --security encrypted or authenticated: only who has paired knows the ball again."
      )
    }
    guard !isPrivate || addressOptions.address == nil else {
      throw ValidationError("--private and --address exclude each other: give one of them.")
    }
    guard security != .authenticated || hasUser else {
      throw ValidationError(
        "--security authenticated shows a number and takes yes or no, and there is no terminal for "
          + "that\(isQuiet ? " with --quiet" : ""): run it on one, or give --security encrypted.")
    }
    guard idleLimit <= 1_440 else {
      throw ValidationError("--idle-limit takes 0 to 1440 minutes, not \(idleLimit).")
    }
  }

  /// The service manager that has started the ball; `nil` if none has.
  private static func serviceManager() -> ServiceManager? {
    do throws(SystemError) {
      return try ServiceManager.find()
    } catch {
      // The ball answers all the same.
      Terminal.note("Warning: the service manager is told nothing: \(sentence(error.description))")
      return nil
    }
  }

  /// Whether somebody sees the numbers of a pairing, and answers.
  private var hasUser: Bool { PairingUser.isThere && !isQuiet }

  func run() throws {
    guard let protection = security.protection else { return try runOpen() }
    try runProtected(protection)
  }

  /// Runs a ball that protects its links.
  private func runProtected(_ protection: BallProtection) throws {
    try endingWell(complain: { tellFailure($0, reason: $1, isJSON: output.json) }) {
      let board = try ChosenBoard(boardOptions)
      let radio = ChosenRadio(radioOptions.choice, board: board.description)
      let loop = try EventLoop()
      let screen = Screen(loop: loop)
      let sinks = try radioOptions.sinks(note: screen.note)
      var bonds = BondKeeper()
      if let notice = bonds.notice { screen.note("Warning: \(sentence(printable(notice)))") }
      let identity = isPrivate ? Self.privateIdentity(bonds.identity) : bonds.identity
      let configuration = try configuration(
        knownAs: identity?.address, isAddressPassing: radio.name == .virtual)
      var security = BallSecurityManager<4, SystemRandom>(
        policy: protection.policy(hasUser: hasUser), identity: identity, bonds: bonds.takeBonds(),
        delegate: PairingDesk(protection), agreement: P256KeyAgreement(), random: SystemRandom())
      security.privacy.hidesIdentity = isPrivate
      var runner = ProtectedBallRunner<
        4, 2_053, 8_192, ToolPort, BallSecurityManager<4, SystemRandom>
      >(
        configuration, security: security,
        on: try ToolPort(
          radio.name, watchedBy: sinks, screen: screen, service: Self.serviceManager(),
          bonds: bonds, loop: loop))
      if configuration.lines == .words {
        for line in [board.sentence, radio.sentence] { runner.print(Array(line.utf8).span) }
      }
      defer {
        warn(ofFailuresOf: sinks, note: screen.note)
        runner.port.close()
      }
      try runner.port.open(
        board.description, drawsBall: configuration.lines == .words, hasUser: hasUser)
      let end = runner.run()
      try finish(end, runner.port.waitFailure)
    }
  }

  /// The identity of a ball that goes by private addresses: what it was before, if that has a key to make them
  /// with. Peers get it when they pair.
  private static func privateIdentity(_ known: LocalIdentity?) -> LocalIdentity {
    if let known, known.identityResolvingKey != .zero { return known }
    var random = SystemRandom()
    let address = known.flatMap { $0.address.kind == .random ? $0.address : nil }
    return LocalIdentity(
      identityResolvingKey: random.nextNumber(), address: address ?? .newStaticRandom())
  }

  private func finish(_ end: BallEnd, _ failure: SystemError?) throws {
    switch end {
    case .asked: break
    case .noRadio: throw ExitStatus.unavailable
    case .noWait: if let failure { throw failure }
    }
  }

  /// Runs a ball that every central may ask.
  private func runOpen() throws {
    try endingWell(complain: { tellFailure($0, reason: $1, isJSON: output.json) }) {
      let configuration = try configuration()
      let board = try ChosenBoard(boardOptions)
      let radio = ChosenRadio(radioOptions.choice, board: board.description)
      let loop = try EventLoop()
      let screen = Screen(loop: loop)
      let sinks = try radioOptions.sinks(note: screen.note)
      var runner = BallRunner<4, 2_053, 8_192, ToolPort>(
        configuration,
        on: try ToolPort(
          radio.name, watchedBy: sinks, screen: screen, service: Self.serviceManager(), loop: loop))
      if configuration.lines == .words {
        for line in [board.sentence, radio.sentence] { runner.print(Array(line.utf8).span) }
      }
      defer {
        warn(ofFailuresOf: sinks, note: screen.note)
        runner.port.close()
      }
      try runner.port.open(board.description, drawsBall: configuration.lines == .words)
      let end = runner.run()
      try finish(end, runner.port.waitFailure)
    }
  }

  /// - Parameters:
  ///   - known: The address that the ball had before; `nil` for a new one.
  ///   - isAddressPassing: Whether the controller has another address each time, as on the virtual air.
  ///     With it, peers would not find the ball that they have a bond with.
  private func configuration(
    knownAs known: DeviceAddress? = nil, isAddressPassing: Bool = false
  ) throws -> BallConfiguration {
    guard let name = DeviceName(Array(name.text.utf8).span) else {
      throw ExitCode.validationFailure
    }
    let address = try addressOptions.choice
    let random = known.flatMap { $0.kind == .random ? $0 : nil } ?? .newStaticRandom()
    let own =
      isPrivate || isAddressPassing && address == .automatic
      ? OwnAddress.random(random) : address.own(orRandom: random)
    let host = HostConfiguration(
      name: name, service: .ballService, address: own,
      idleLimit: idleLimit == 0 ? nil : idleLimit)
    return BallConfiguration(
      host: host, seed: seed ?? .random(in: .min ... .max), style: answers.style,
      lines: output.json ? .json : isQuiet ? .none : .words)
  }
}
