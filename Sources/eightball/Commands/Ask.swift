import ArgumentParser
import BluetoothHost
import CoreBluetooth
import EightBallKit

/// Asks a ball a question.
struct Ask: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask a ball a question, and print its answer.",
    discussion: """
      The answer alone goes to stdout, so that it can be piped; progress goes to stderr. A \
      question ends in a question mark; the ball refuses anything else. A ball that cannot be \
      connected to, or is none, is passed over while there is time.

      EXAMPLES
        eightball ask "Will it rain?"
        eightball ask --random --radio hci0
        eightball ask "Do you know me?" --address C0:00:00:00:00:01
        eightball ask "Is it late?" --name "Kitchen Ball" --timeout 5s --json

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
      "How long to wait for the answer, such as 5s or 500ms; 2s unless given. A ball is looked "
        + "for as long, and at least for 5s.",
      valueName: "time"),
    transform: { try TimeOption($0, upTo: TimeOption.hour) })
  var timeout = TimeOption(milliseconds: 2_000)

  @OptionGroup var addressOptions: AddressOptions
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
      let chosen = ChosenRadio(radioOptions.choice)
      let sinks = try radioOptions.sinks()
      printer.begins(inquiry, chosen, isChosen: random)
      let radio = CBRadio(
        chosen.name, address: try addressOptions.choice, watchedBy: sinks)
      let outcome = try waiting { await AskProgram(inquiry, on: radio, printer: printer).run() }
      radio.close()
      warn(ofFailuresOf: sinks)
      if case .radioTrouble(let error) = outcome { throw error }
      printer.ended(outcome, inquiry)
      if let status = outcome.exitStatus { throw status }
    }
  }

  private var inquiry: Inquiry {
    Inquiry(
      question: question ?? BallQuestion.random(), name: name?.text,
      answerTimeout: timeout.seconds, searchTimeout: max(5, timeout.seconds))
  }
}

extension AskOutcome {
  /// What the program ends with; `nil` for success.
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
