import ArgumentParser
import BluetoothCentral
import BluetoothHost
import LinuxBoard
import LinuxRadio
import LinuxSystem

/// Asks a ball a question.
struct Ask: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask a ball a question, and print its answer.",
    discussion: """
      The answer alone goes to stdout, so that it can be piped; progress goes to stderr. A \
      question ends in a question mark; the ball refuses anything else.

      EXAMPLES
        eightball ask "Will it rain?"
        eightball ask --random --radio hci0
        eightball ask "Is it late?" --name "Kitchen Ball" --timeout 5 --json

      EXIT STATUS
        0   the ball answered
        1   something unexpected
        64  the command line is wrong
        65  the ball refused: not a question
        66  no ball was found
        67  the ball did not answer in time
        69  the radio cannot be used
      """)

  @Argument(help: "The question: at most 512 bytes of UTF-8.")
  var question: String?

  @Flag(name: .long, help: "Ask one of twenty ready-made questions.")
  var random = false

  @Option(
    name: .long,
    help: ArgumentHelp("Ask the ball of this name, rather than any.", valueName: "name"))
  var name: BallName?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "How long to wait for the answer; 2 unless given. A ball is looked for as long, and at "
        + "least for 5 seconds.",
      valueName: "seconds"),
    transform: { try Seconds($0) })
  var timeout = Seconds(milliseconds: 2_000)

  @OptionGroup var radioOptions: RadioOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard random != (question != nil) else {
      throw ValidationError(
        random
          ? "Give a question or --random, not both."
          : "Ask something: eightball ask \"Will it rain?\", or eightball ask --random.")
    }
    if let question {
      guard !question.isEmpty else { throw ValidationError("The question is empty.") }
      let count = question.utf8.count
      guard count <= maximumAttributeValueLength else {
        throw ValidationError(
          "The question is \(count) bytes long in UTF-8; a ball takes at most "
            + "\(maximumAttributeValueLength).")
      }
    }
    try name?.validate()
  }

  func run() throws {
    let inquiry = inquiry
    let printer: any AskPrinter = output.json ? JSONAskPrinter() : HumanAskPrinter()
    try endingWell(complain: printer.failed) {
      let radio = ChosenRadio(radioOptions.choice)
      let sinks = try radioOptions.sinks()
      printer.begins(inquiry, radio, isChosen: random)
      var program = AskProgram(inquiry, printer: printer)
      try runOnRadio(&program, radio.name, watchedBy: sinks)
      if let status = (program.outcome ?? .cancelled).exitStatus { throw status }
    }
  }

  private var inquiry: BallInquiry {
    var inquiry = BallInquiry(question: question ?? Questions.random())
    inquiry.name = name?.text
    inquiry.answerTimeout = timeout.milliseconds
    inquiry.searchTimeout = max(inquiry.searchTimeout, timeout.milliseconds)
    return inquiry
  }
}

extension BallOutcome {
  /// What the program ends with; `nil` for success.
  fileprivate var exitStatus: ExitCode? {
    switch self {
    case .answered: nil
    case .refused: ExitStatus.refused
    case .noBallFound: ExitStatus.noBall
    case .timedOut, .unreachable(.timedOut): ExitStatus.timedOut
    case .radioTrouble: ExitStatus.radio
    case .cancelled: ExitStatus.interrupted
    case .error, .unreachable, .disconnected, .misbehaved, .tooLong: ExitStatus.unexpected
    }
  }
}
