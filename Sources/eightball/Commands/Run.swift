import ArgumentParser
import BallRunner
import BluetoothHost
import EightBall
import LinuxBoard
import LinuxSystem

/// Runs a ball.
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run a ball: advertise, take questions, answer them.",
    discussion: """
      It serves four centrals at once, and runs until SIGINT, SIGTERM or SIGHUP. A radio that \
      is lost is waited for. The lines of one central are limited to 500 at once, and \
      then 20 a second; a line says how many were left out.

      EXAMPLES
        eightball run
        eightball run --name "Kitchen Ball" --radio hci0
        eightball run --radio virtual --seed 8 --json
        eightball run --radio serial:/dev/ttyUSB0,115200 --capture ball.btsnoop
        eightball run --board virtual
        eightball run --board pi-4b --set shake.line=GPIO23

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

  func run() throws {
    try endingWell(complain: { tellFailure($0, reason: $1, isJSON: output.json) }) {
      let configuration = try configuration
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
        runner.port.close()
        warn(ofFailuresOf: sinks)
      }
      try runner.port.open(board.description, drawsBall: !output.json)
      switch runner.run() {
      case .asked: break
      case .noRadio: throw ExitStatus.unavailable
      case .noWait: if let failure = runner.port.waitFailure { throw failure }
      }
    }
  }

  private var configuration: BallConfiguration {
    get throws {
      guard let name = DeviceName(Array(name.text.utf8).span) else {
        throw ExitCode.validationFailure
      }
      let host = HostConfiguration(
        name: name, service: .ballService, address: try addressOptions.choice.own,
        idleLimit: idleLimit == 0 ? nil : idleLimit)
      return BallConfiguration(
        host: host, seed: seed ?? .random(in: .min ... .max), style: answers.style,
        lines: output.json ? .json : isQuiet ? .none : .words)
    }
  }
}
