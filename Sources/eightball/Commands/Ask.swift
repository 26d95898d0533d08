import ArgumentParser
import BluetoothHost
import CoreBluetooth
import EightBallKit
import LinuxRadio
import LinuxSystem

/// Asks a ball a question.
struct Ask: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask a ball a question, and print its answer.",
    discussion: """
      Only the answer goes to stdout, so that it can be piped; progress goes to stderr. A \
      question ends in a question mark; the ball refuses anything else. Skips devices that fail \
      to connect or lack the service, while time is left.

      A ball with --security requires pairing: hold its shake button for 3 s to open pairing, and \
      give --pair. If the ball shows a number, compare or type it when asked. The bond is kept in \
      ask.bonds, beside the file of eightball bonds; with it the ball recognizes you.

      EXAMPLES
        eightball ask "Will it rain?"
        eightball ask --random --radio hci0
        eightball ask "Do you know me?" --address C0:00:00:00:00:01
        eightball ask "Is it late?" --name "Kitchen Ball" --timeout 5s --json
        eightball ask --pair "Can you keep a secret?"

      EXIT STATUS
        0   the ball answered
        1   an unexpected failure
        64  the command line is wrong
        65  the ball refused: not a question
        66  no ball was found, or the device lacks the ball's service
        67  the ball could not be reached, or did not answer in time
        69  the radio cannot be used
        130 stopped by SIGINT, SIGTERM or SIGHUP
      """)

  /// The name of the file of the bonds with balls.
  static let bondsName = "ask.bonds"

  @Argument(help: "The question: at most 512 bytes of UTF-8.")
  var question: String?

  @Flag(name: .long, help: "Ask one of twenty ready-made questions.")
  var random = false

  @Option(
    name: .long,
    help: ArgumentHelp("Ask the ball with this name. Default: any ball.", valueName: "name"))
  var name: BallName?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "How long to wait for the answer, such as 5s or 500ms; default: 2s. The search for a ball "
        + "takes as long, but at least 5s; with --pair the answer has at least 60s.",
      valueName: "time"),
    transform: { try TimeOption($0, upTo: TimeOption.hour) })
  var timeout = TimeOption(milliseconds: 2_000)

  @Flag(name: .long, help: "Pair if the ball requires it, and keep the bond.")
  var pair = false

  @OptionGroup var addressOptions: AddressOptions
  @OptionGroup var radioOptions: RadioOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard random != (question != nil) else {
      throw ValidationError(
        random
          ? "Give a question or --random, not both."
          : "No question given. Ask one: eightball ask \"Will it rain?\", or eightball ask "
            + "--random.")
    }
    if let question {
      guard !question.isEmpty else {
        throw ValidationError("The question is empty: give one that ends in a question mark.")
      }
      let count = question.utf8.count
      guard count <= maximumAttributeValueLength else {
        throw ValidationError(
          "The question has \(count) bytes in UTF-8, more than the \(maximumAttributeValueLength) "
            + "that a ball takes: shorten it.")
      }
    }
    try name?.validate()
  }

  func run() throws {
    let request = request
    let printer: any AskPrinter = output.json ? JSONAskPrinter() : HumanAskPrinter()
    try reportingErrors(with: printer.failed) {
      let chosen = ChosenRadio(radioOptions.choice)
      let sinks = try radioOptions.sinks()
      printer.begins(request, chosen, isChosen: random)
      let bonds = try openBonds()
      let radio = CBRadio(
        chosen.name, address: try addressOptions.choice, watchedBy: sinks, bonds: bonds)
      radio.pairing = pair ? PairingQuestions(isJSON: output.json).pairing : .refused
      let outcome = try runBlocking { await AskProgram(request, on: radio, printer: printer).run() }
      radio.close()
      warn(ofFailuresOf: sinks)
      if let failure = bonds.failure { throw failure }
      if case .radioTrouble(let error) = outcome { throw error }
      printer.ended(outcome, request)
      if let status = outcome.exitStatus { throw status }
    }
  }

  /// The bonds with balls; in memory if there is no file and `--pair` is not given.
  private func openBonds() throws -> RadioBonds {
    guard let path = BondFile.path(of: Self.bondsName) else {
      guard pair else { return RadioBonds() }
      throw ValidationError(
        "--pair has no folder for the bond: set HOME or XDG_STATE_HOME to an absolute path.")
    }
    do throws(SystemError) {
      guard pair || Files.exists(path) else { return RadioBonds() }
      let bonds = try RadioBonds(file: path)
      if let notice = bonds.notice { Terminal.note("Warning: \(sentence(printable(notice)))") }
      return pair || bonds.count > 0 ? bonds : RadioBonds()
    } catch {
      guard !pair else { throw error }
      Terminal.note("Warning: \(sentence(printable(error.description)))")
      return RadioBonds()
    }
  }

  private var request: AskRequest {
    AskRequest(
      question: question ?? BallQuestion.random(), name: name?.text,
      // A person needs time to compare or type a number.
      answerTimeout: pair ? max(60, timeout.seconds) : timeout.seconds,
      searchTimeout: max(5, timeout.seconds), preparationTimeout: pair ? 60 : 10)
  }
}

extension AskOutcome {
  /// The exit status; `nil` for success.
  fileprivate var exitStatus: ExitCode? {
    switch self {
    case .answered: nil
    case .refused: ExitStatus.refused
    case .noBallFound, .noService: ExitStatus.noBall
    case .timedOut, .unreachable: ExitStatus.timedOut
    case .radioTrouble: ExitStatus.unavailable
    case .cancelled: ExitStatus.interrupted
    case .failed, .disconnected: ExitStatus.unexpected
    }
  }
}
