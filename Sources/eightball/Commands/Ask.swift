import LinuxPort
import LinuxRadio

/// Asks a ball a question.
struct Ask: RadioCommand {
  static let page = CommandPage(
    name: "ask",
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
      """,
    argument: .init(
      name: "question", isOptional: true,
      help: "The question: at most 512 bytes of UTF-8; - reads a line of standard input."))

  static var options: [ToolOption<Ask>] {
    [
      .flag(OptionRow("--random", "Ask one of twenty ready-made questions.")) { $0.random = true },
      .value(OptionRow("--name", "<name>", "Ask the ball with this name. Default: any ball.")) {
        $0.name = BallName(text: $1.text)
      },
      .value(
        OptionRow(
          "--timeout", "<time>",
          """
          How long to wait in all, such as 5s or 500ms, from when the radio is ready; with --stay, \
          for the ball, and again for each answer. Default: 5s to find a ball, 10s to connect to it \
          and 2s for the answer; with --pair 60s for each of the last two.
          """)
      ) { $0.timeout = try $1.time(upTo: TimeOption.hour) },
      .flag(
        OptionRow(
          "--stay", "Stay connected: print each answer, and ask each line of standard input.")
      ) { $0.stay = true },
      .flag(OptionRow("--pair", "Pair if the ball requires it, and keep the bond.")) {
        $0.pair = true
      },
    ] + radioRows + [.flag(.json) { $0.isJSON = true }]
  }

  var question: String?
  /// The words of a question without quotes, which the shell has split.
  private var rest: [String] = []
  var random = false
  var name: BallName?
  var timeout: TimeOption?
  var stay = false
  var pair = false
  var addressOptions = AddressOptions()
  var radioOptions = RadioOptions()
  var isJSON = false

  mutating func take(_ argument: String) {
    if question == nil { question = argument } else { rest.append(argument) }
  }

  func validate() throws(UsageError) {
    guard rest.isEmpty else {
      throw UsageError(
        "A question is one argument: put it in quotes, such as eightball ask \"Will it rain?\".")
    }
    guard !random || question == nil else {
      throw UsageError("Give a question or --random, not both.")
    }
    guard random || stay || question != nil else {
      throw UsageError(
        "No question given. Ask one: eightball ask \"Will it rain?\", or eightball ask --random.")
    }
    guard !stay || !pair else {
      throw UsageError(
        "--stay and --pair both read standard input: pair first, by eightball ask --pair and a "
          + "question; --stay then uses the bond.")
    }
    if let question {
      do throws(QuestionInputError) {
        _ = try QuestionInputError.question(of: Array(question.utf8))
      } catch {
        throw UsageError(error.description)
      }
    }
    try name?.validate(isExtended: true)
    try addressOptions.validate(on: radioOptions.radio)
  }

  func run() throws {
    let printer = AskPrinter(isJSON: isJSON)
    let request = try request(printer)
    try reportingErrors(with: printer.failed) {
      let chosen = ChosenRadio(radioOptions.radio)
      var radio = try ToolRadio(chosen.name, radioOptions, pairs: pair)
      printer.begins(request, chosen, isChosen: random)
      var program = AskProgram(
        request, address: try addressOptions.choice,
        bonds: try KeptBonds.ofCentral(pairs: pair, on: chosen.name), time: radio.time,
        printer: printer)
      try radio.run(&program)
      if let failure = program.session.bonds.failure { throw failure }
      let outcome = program.outcome ?? .cancelled
      if case .radioFailed(let error) = outcome { throw error }
      printer.ended(outcome, of: program.question, request)
      if let status = outcome.exitStatus { throw status }
    }
  }

  func request(_ printer: AskPrinter) throws -> AskRequest {
    var request = AskRequest(question: try firstQuestion(printer), name: name?.text, stays: stay)
    request.pairs = pair
    request.isBesideDaemon = ChosenRadio(radioOptions.radio).name.isBesideDaemon
    if pair {
      // A person needs time to compare or type a number.
      request.answerTimeout = 60_000
      request.limits.preparation = 60_000
    }
    if let limit = timeout?.milliseconds {
      request.answerTimeout = limit
      request.limits.search = limit
      request.limits.preparation = limit
      if !stay { request.limits.whole = limit }
    }
    return request
  }

  /// The question of the command line, or its line of standard input; `nil` if `--stay` waits for a
  /// line.
  private func firstQuestion(_ printer: AskPrinter) throws -> String? {
    if random { return BallQuestion.random() }
    guard question == "-" else { return question }
    if stay { return nil }
    do throws(QuestionInputError) {
      return try QuestionInputError.question(of: StandardInput.line() ?? [])
    } catch {
      printer.failed(error.description, reason: "question")
      throw ExitStatus.usage
    }
  }
}

extension CentralOutcome {
  /// The exit status; `nil` for success.
  var exitStatus: ExitStatus? {
    switch self {
    case .answered, .inputEnded: nil
    case .refused: .refused
    case .notFound, .noService: .noBall
    case .timedOut, .unreachable: .timedOut
    case .radioFailed: .unavailable
    case .cancelled: .interrupted
    case .failed, .disconnected: .unexpected
    }
  }
}
