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
      The answer alone goes to stdout, so that it can be piped; progress goes to stderr. A \
      question ends in a question mark; the ball refuses anything else. A ball that cannot be \
      connected to, or is none, is passed over while there is time.

      A ball that protects its links wants you to pair first: let it open pairing, by holding its shake \
      button for 3 s, and give --pair. If the ball shows a number, you are asked whether it is the same, or \
      to type it. The bond is kept in ask.bonds, beside those of eightball bonds, and the ball knows you by it.

      EXAMPLES
        eightball ask "Will it rain?"
        eightball ask --random --radio hci0
        eightball ask "Do you know me?" --address C0:00:00:00:00:01
        eightball ask "Is it late?" --name "Kitchen Ball" --timeout 5s --json
        eightball ask --pair "Will you tell nobody else?"

      EXIT STATUS
        0   the ball answered
        1   something unexpected
        64  the command line is wrong
        65  the ball refused: not a question
        66  no ball was found
        67  the ball did not answer in time
        69  the radio cannot be used
      """)

  /// The name of the file of the bonds with balls.
  static let bondsName = "ask.bonds"

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
        + "for as long, and at least for 5s; with --pair the answer has at least 60s.",
      valueName: "time"),
    transform: { try TimeOption($0, upTo: TimeOption.hour) })
  var timeout = TimeOption(milliseconds: 2_000)

  @Flag(name: .long, help: "Pair with the ball if it wants that, and keep the bond.")
  var pair = false

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
      let bonds = try openBonds()
      let radio = CBRadio(
        chosen.name, address: try addressOptions.choice, watchedBy: sinks, bonds: bonds)
      radio.pairing = pair ? PairingQuestions(isJSON: output.json).pairing : .refused
      let outcome = try waiting { await AskProgram(inquiry, on: radio, printer: printer).run() }
      radio.close()
      warn(ofFailuresOf: sinks)
      if let failure = bonds.failure { throw failure }
      if case .radioTrouble(let error) = outcome { throw error }
      printer.ended(outcome, inquiry)
      if let status = outcome.exitStatus { throw status }
    }
  }

  /// The bonds with balls; in memory if there are none, and none are wanted.
  private func openBonds() throws -> RadioBonds {
    guard let path = BondFile.path(of: Self.bondsName) else {
      guard pair else { return RadioBonds() }
      throw ValidationError("--pair keeps a bond, and neither HOME nor XDG_STATE_HOME says where.")
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

  private var inquiry: Inquiry {
    Inquiry(
      question: question ?? BallQuestion.random(), name: name?.text,
      // A person compares numbers, or types one.
      answerTimeout: pair ? max(60, timeout.seconds) : timeout.seconds,
      searchTimeout: max(5, timeout.seconds), preparationTimeout: pair ? 60 : 10)
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
