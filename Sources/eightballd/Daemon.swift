import BallRunner
import BluetoothHost
import EightBall
import Linux
import LinuxPort

/// The program: one ball on this machine.
enum Daemon {
  /// The exit status, with the numbers of sysexits(3) where they exist.
  enum Status: Int32 {
    case success = 0
    case unexpected = 1
    case usage = 64
    case unavailable = 69
    case board = 78
  }

  /// A ball with security, a control socket and figures.
  typealias Runner = ProtectedBallRunner<
    4, 2_053, 8_192, 8_192, LinuxPort, BallSecurityManager<4, SystemRandom>
  >

  /// Runs the program.
  static func run(_ arguments: ArgumentList) -> Status {
    do throws(OptionError) {
      let options = try Options(arguments)
      switch options.task {
      case .showHelp:
        Console.printHelp()
      case .showVersion:
        Console.print(EightBallProfile.version)
        Console.print("\n")
      case .run:
        return run(options, address: try ownAddress(options))
      }
      return .success
    } catch {
      Console.complain(error)
      return .usage
    }
  }

  private static func run(_ options: borrowing Options, address: OwnAddress) -> Status {
    let isJSON = options.isJSON
    do throws(BoardChoiceError) {
      return run(options, address: address, try BoardChoice(options, model: MachineModel.current))
    } catch {
      let failure = error
      Console.fail(kind: "board", isJSON: isJSON) { failure.write(to: &$0) }
      return .board
    }
  }

  private static func run(
    _ options: borrowing Options, address: OwnAddress, _ board: BoardChoice
  ) -> Status {
    let isJSON = options.isJSON
    let named = board.description?.radio
    do throws(RadioAddressError) {
      return run(
        options, address: address, board, try RadioSelection(options.radio, boards: named))
    } catch {
      let failure = error
      Console.fail(kind: "board", isJSON: isJSON) {
        $0.write(text: "the radio of the board: ")
        if let named { failure.write(to: &$0, of: named.span) }
      }
      return .board
    }
  }

  private static func run(
    _ options: borrowing Options, address: OwnAddress, _ board: BoardChoice, _ radio: RadioSelection
  ) -> Status {
    let isJSON = options.isJSON
    do throws(LinuxPort.SetupError) {
      return run(
        options, address: address, board, radio,
        on: try LinuxPort(radio.choice, board: board.description, name: name(options)))
    } catch {
      let call: StaticString = error == .noQueue ? "epoll_create1" : "signalfd"
      Console.fail(kind: "system", isJSON: isJSON) {
        $0.write(text: "the kernel refuses ")
        $0.write(text: call)
      }
      return .unexpected
    }
  }

  private static func run(
    _ options: borrowing Options, address: OwnAddress, _ board: BoardChoice,
    _ radio: RadioSelection, on port: consuming LinuxPort
  ) -> Status {
    let serviceError = port.serviceError
    var port = port
    var table = BondTable<16>()
    // Beside bluetoothd, it protects the values, and keeps the bonds.
    let isProtected = options.isProtected && !radio.choice.isBesideDaemon
    if options.isProtected { port.protectValues(by: .encrypted) }
    let protection: BallProtection = isProtected ? .encrypted : .none
    let identity = isProtected ? port.openBonds(into: &table) : nil
    let known = identity?.address
    let security = BallSecurityManager<4, SystemRandom>(
      policy: protection.policy(hasUser: false, staysOpen: options.keepsPairingOpen),
      identity: identity, bonds: table,
      delegate: PairingGate(protection), agreement: P256KeyAgreement(), random: SystemRandom())
    var runner = Runner(
      configuration(
        options,
        // bluetoothd advertises by the adapter's.
        address: radio.choice.isBesideDaemon ? .public : Self.address(address, knownAs: known)),
      security: security, on: port)
    if isProtected { warnOfBonds(&runner) }
    if let serviceError {
      printLine(on: &runner, to: .errors) {
        $0.write(text: "Warning: no reports to the service manager: ")
        serviceError.write(to: &$0)
        $0.write(text: ".")
      }
    }
    let canRun = openControl(options, &runner)
    if options.lines == .words {
      printLine(on: &runner, to: .output) { board.write(to: &$0) }
      printLine(on: &runner, to: .output) { radio.write(to: &$0) }
    }
    return canRun ? status(runner.run(), isJSON: options.isJSON) : .unavailable
  }

  /// Opens the control socket, or prints why it cannot. Returns whether the ball can run.
  @inline(never)
  private static func openControl(
    _ options: borrowing Options, _ runner: inout Runner
  ) -> Bool {
    if runner.port.openControl(
      at: options.control, allowsRemoteButtons: options.allowsRemoteButtons)
    {
      return true
    }
    let isNamed = options.control != nil
    var line = ByteBuffer<512>()
    line.write {
      if !isNamed { $0.write(text: "Warning: no program can listen to this ball: ") }
      runner.port.writeControlError(to: &$0)
      if !isNamed { $0.write(text: ". Give it a socket of its own: --control PATH.") }
    }
    if isNamed {
      runner.fail(line.span, kind: "control")
    } else {
      runner.print(line.span, to: .errors)
    }
    return !isNamed
  }

  /// Prints a warning about the bond file, if there is one.
  @inline(never)
  private static func warnOfBonds(_ runner: inout Runner) {
    guard runner.port.bonds.hasNotice else { return }
    var line = ByteBuffer<512>()
    line.write {
      $0.write(text: "Warning: ")
      runner.port.bonds.writeNotice(to: &$0)
      $0.write(text: ".")
    }
    runner.print(line.span, to: .errors)
  }

  /// The previous random address instead of a new one, because peers store it.
  private static func address(
    _ address: OwnAddress, knownAs known: DeviceAddress?
  ) -> OwnAddress {
    guard let known, known.kind == .random, case .automatic = address else { return address }
    return .automatic(orRandom: known)
  }

  // A function with one exit, because each exit of the one above destroys the ball.
  @inline(never)
  private static func status(_ end: BallEnd, isJSON: Bool) -> Status {
    switch end {
    case .asked: return .success
    case .noRadio: return .unavailable
    case .noWait:
      Console.fail(kind: "system", isJSON: isJSON) {
        $0.write(text: "cannot wait for the radio: the kernel refuses")
      }
      return .unexpected
    }
  }

  @inline(never)
  private static func printLine(
    on runner: inout Runner, to stream: OutputStream,
    _ compose: (inout ByteWriter) -> Void
  ) {
    var line = ByteBuffer<512>()
    line.write(compose)
    runner.print(line.span, to: stream)
  }

  private static func configuration(
    _ options: borrowing Options, address: OwnAddress
  ) -> BallConfiguration {
    let host = HostConfiguration(
      name: name(options), service: .ballService,
      address: address, idleLimit: options.idleLimit == 0 ? nil : options.idleLimit)
    return BallConfiguration(
      host: host, seed: options.seed ?? random(), style: options.style,
      lines: options.lines)
  }

  @inline(never)
  private static func name(_ options: borrowing Options) -> DeviceName {
    options.name.flatMap { DeviceName($0.span) } ?? DeviceName(StaticText("Magic 8-Ball"))
  }

  private static func random() -> UInt64 {
    var generator = SystemRandom()
    return generator.next()
  }

  /// The address of `--address`, or else of EIGHTBALL_ADDRESS, or else the controller's.
  private static func ownAddress(_ options: borrowing Options) throws(OptionError) -> OwnAddress {
    var address = options.address
    if address == nil, let text = ProgramText(environment: "EIGHTBALL_ADDRESS") {
      do throws(AddressChoiceError) {
        address = try AddressChoice(text.span)
      } catch {
        throw OptionError(.environment(error), text)
      }
    }
    return (address ?? .automatic).own
  }
}
