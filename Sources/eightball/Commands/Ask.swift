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

      --stay keeps the connection, and asks each line of standard input until it ends. It also \
      prints the answers that the ball sends when its shake button is pressed.

      A ball with --security requires pairing: hold its shake button for 3 s to open pairing, and \
      give --pair. If the ball shows a number, compare or type it when asked. The bond is kept in \
      ask.bonds, beside the file of eightball bonds; with it the ball recognises you.

      EXAMPLES
        eightball ask "Will it rain?"
        eightball ask --random --radio hci0
        eightball ask "Do you know me?" --address C0:00:00:00:00:01
        eightball ask "Is it late?" --name "Kitchen Ball" --timeout 5s --json
        eightball ask --pair "Can you keep a secret?"
        eightball ask - < question.txt
        eightball ask --stay "Will it rain?"

      EXIT STATUS
        0   the ball answered; with --stay, standard input has ended
        1   an unexpected failure
        64  the command line is wrong
        65  the ball refused: not a question
        66  no ball was found, or the device lacks the ball's service
        67  the ball could not be reached, or did not answer in time
        69  the radio cannot be used
        74  the answer cannot be written
        130 stopped by SIGINT, SIGTERM or SIGHUP
      """)

  /// The name of the file of the bonds with balls.
  static let bondsName = "ask.bonds"

  @Argument(
    help: "The question: at most 512 bytes of UTF-8; - reads a line of standard input.")
  var question: String?

  /// The words of a question without quotes, which the shell has split.
  @Argument(help: .hidden)
  var rest: [String] = []

  @Flag(name: .long, help: "Ask one of twenty ready-made questions.")
  var random = false

  @Option(
    name: .long,
    help: ArgumentHelp("Ask the ball with this name. Default: any ball.", valueName: "name"))
  var name: BallName?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "How long to wait in all, such as 5s or 500ms, from when the radio is ready; with --stay, for "
        + "the ball, and again for each answer. Default: 5s to find a ball, 10s to connect to it "
        + "and 2s for the answer; with --pair 60s for each of the last two.",
      valueName: "time"),
    transform: { try TimeOption($0, upTo: TimeOption.hour) })
  var timeout: TimeOption?

  @Flag(
    name: .long,
    help: "Stay connected: print each answer, and ask each line of standard input.")
  var stay = false

  @Flag(name: .long, help: "Pair if the ball requires it, and keep the bond.")
  var pair = false

  @OptionGroup var addressOptions: AddressOptions
  @OptionGroup var radioOptions: RadioOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard rest.isEmpty else {
      throw ValidationError(
        "A question is one argument: put it in quotes, such as eightball ask \"Will it rain?\".")
    }
    guard !random || question == nil else {
      throw ValidationError("Give a question or --random, not both.")
    }
    guard random || stay || question != nil else {
      throw ValidationError(
        "No question given. Ask one: eightball ask \"Will it rain?\", or eightball ask --random.")
    }
    guard !stay || !pair else {
      throw ValidationError(
        "--stay and --pair both read standard input: pair first, by eightball ask --pair and a "
          + "question; --stay then uses the bond.")
    }
    if let question {
      do throws(QuestionFault) {
        _ = try QuestionFault.question(of: Array(question.utf8))
      } catch {
        throw ValidationError(error.description)
      }
    }
    try name?.validate()
  }

  func run() throws {
    let printer: any AskPrinter = output.json ? JSONAskPrinter() : HumanAskPrinter()
    let request = try request(printer)
    try reportingErrors(with: printer.failed) {
      let chosen = ChosenRadio(radioOptions.choice)
      let sinks = try radioOptions.sinks()
      printer.begins(request, chosen, isChosen: random)
      let bonds = try openBonds()
      let radio = CBRadio(
        chosen.name, address: try addressOptions.choice, watchedBy: sinks, bonds: bonds)
      radio.pairing = pair ? PairingQuestions(isJSON: output.json).pairing : .refused
      let (outcome, question) = try runBlocking {
        await AskProgram(request, on: radio, printer: printer).run()
      }
      radio.close()
      warn(ofFailuresOf: sinks)
      if let failure = bonds.failure { throw failure }
      if case .radioTrouble(let error) = outcome { throw error }
      printer.ended(outcome, of: question, request)
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

  func request(_ printer: any AskPrinter) throws -> AskRequest {
    var request = AskRequest(question: try firstQuestion(printer), name: name?.text, stays: stay)
    if pair {
      // A person needs time to compare or type a number.
      request.answerTimeout = 60
      request.preparationTimeout = 60
    }
    if let limit = timeout?.seconds {
      request.answerTimeout = limit
      request.searchTimeout = limit
      request.preparationTimeout = limit
      if !stay { request.wholeTimeout = limit }
    }
    return request
  }

  /// The question of the command line, or its line of standard input; `nil` if `--stay` waits for a
  /// line.
  private func firstQuestion(_ printer: any AskPrinter) throws -> String? {
    if random { return BallQuestion.random() }
    guard question == "-" else { return question }
    if stay { return nil }
    do throws(QuestionFault) {
      return try QuestionFault.question(of: StandardInput.line() ?? [])
    } catch {
      printer.failed(error.description, reason: "question")
      throw ExitStatus.usage
    }
  }
}

extension AskOutcome {
  /// The exit status; `nil` for success.
  fileprivate var exitStatus: ExitCode? {
    switch self {
    case .answered, .inputEnded: nil
    case .refused: ExitStatus.refused
    case .noBallFound, .noService: ExitStatus.noBall
    case .timedOut, .unreachable: ExitStatus.timedOut
    case .radioTrouble: ExitStatus.unavailable
    case .cancelled: ExitStatus.interrupted
    case .failed, .disconnected: ExitStatus.unexpected
    }
  }
}
