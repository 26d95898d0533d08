import BluetoothHost
import EightBall
import LinuxRadio

/// Prints the progress of `eightball ask`, and its outcome. For people: the answer on stdout, all
/// else on stderr. For programs: one object per line, on stdout.
struct AskPrinter {
  /// Whether programs read the output.
  let isJSON: Bool
  /// Prints a result.
  var print: (String) -> Void = Terminal.print
  /// Prints progress or an error.
  var note: (String) -> Void = Terminal.note

  /// The program begins. `isChosen`: the program chose the question.
  func begins(_ request: AskRequest, _ radio: ChosenRadio, isChosen: Bool) {
    guard !isJSON else { return }
    note(radio.sentence)
    if isChosen, let question = request.question { note("Question: \(question)") }
  }

  /// Prints what every central prints.
  func central(looksFor name: String?) -> CentralPrinter {
    CentralPrinter(
      isJSON: isJSON, sought: name.map { "“\(printable($0))”" } ?? "a ball", noun: "ball",
      print: print, note: note)
  }

  /// A ball that stays connected waits for questions.
  func isReady() {
    if !isJSON { note("Connected: each line is a question. Control-D ends.") }
  }

  /// The ball has sent an answer without a new question, as after a shake.
  func notified(_ answer: String) { answered(answer, to: nil) }

  private func answered(_ answer: String, to question: String?) {
    let text = Answer(sent: answer).map { String(writing: $0.text.writePrefix) } ?? answer
    guard isJSON else { return print(printable(text)) }
    var line = JSONLine(event: "answer")
    line.add("question", question)
    line.add("text", text)
    print(line.text)
  }

  /// A question, or all, is over. `question` is `nil` if this concerns none.
  func ended(_ outcome: CentralOutcome, of question: String?, _ request: AskRequest) {
    switch outcome {
    case .answered(let text): answered(text, to: question)
    case .inputEnded: break
    case .refused where isJSON:
      var line = JSONLine(event: "refused")
      line.add("question", question)
      line.add("reason", "not a question")
      print(line.text)
    case _ where isJSON: failed(outcome.explanation(for: request), reason: outcome.word)
    default: note(outcome.explanation(for: request))
    }
  }

  /// The program failed. `reason` is a word for programs.
  func failed(_ text: String, reason: String) {
    printError(text, reason: reason, isJSON: isJSON, print: print, note: note)
  }
}

extension Answer {
  /// The answer with this English text or slug; `nil` for any other text.
  fileprivate init?(sent text: String) {
    for number in 0..<Self.count {
      guard let answer = Answer(rawValue: number) else { continue }
      for style in [AnswerFormat.text, .slug] {
        var buffer = ByteBuffer<64>()
        buffer.write { answer.write(style, to: &$0) }
        if buffer.span.count == text.utf8.count, Array(text.utf8).span.hasSameBytes(as: buffer.span)
        {
          self = answer
          return
        }
      }
    }
    return nil
  }
}

extension CentralOutcome {
  /// What happened and what may help, for people.
  func explanation(for request: AskRequest) -> String {
    switch self {
    case .answered(let text):
      "Answer: \(printable(text))"
    case .refused:
      "Refused: please phrase it as a question (it must end in “?”)."
    case .failed(let error) where error.wantsPairing:
      "The ball answers only paired centrals: hold its shake button for 3 s, then run eightball "
        + "ask --pair."
    case .notFound:
      request.name.map {
        "No ball called “\(printable($0))” was found. Is it running, on the same radio, and near?"
      } ?? "No ball was found. Is one running, on the same radio, and near? (eightball run)"
    case .failed(.keys):
      "The ball does not accept the bond: it has lost its key, or another ball has its address. "
        + "Forget the bond with eightball bonds --of-ask --remove all, hold the ball's shake "
        + "button for 3 s, then run eightball ask --pair."
    // bluetoothd 5.66 often loses a request that the ball has refused for lack of a bond.
    case .timedOut where request.isBesideDaemon && !request.pairs:
      "The ball did not answer in time. If it answers only paired centrals, hold its shake button for "
        + "3 s, then run eightball ask --pair. Otherwise try again, or wait longer with --timeout."
    case .noService(let name):
      "“\(printable(name))” advertises as a ball, but lacks the ball's service."
    default: explanation(noun: "ball")
    }
  }

  /// What happened and what may help, for people, with any peripheral.
  func explanation(noun: String) -> String {
    switch self {
    case .answered, .refused, .notFound, .noService: word
    case .failed(let error):
      "\(error.sentence) (\(error.slug))"
    case .unreachable(let error):
      "A \(noun) was found, but the connection failed" + (error.map { ": \($0.sentence)" } ?? ".")
        + " Try again."
    case .timedOut:
      "The \(noun) did not answer in time. Try again, or wait longer with --timeout."
    case .disconnected:
      "The connection was closed. Try again."
    case .cancelled:
      "Stopped."
    case .radioFailed(let error):
      "The radio failed: \(eightball.sentence(error.description))"
    case .inputEnded:
      "Standard input has ended."
    }
  }

  /// What happened, in a word or two, for programs.
  var word: String {
    switch self {
    case .answered: "answered"
    case .refused: "refused"
    case .failed(let error): error.wantsPairing || error == .keys ? "not paired" : "error"
    case .notFound: "no ball found"
    case .unreachable: "unreachable"
    case .noService: "no service"
    case .timedOut: "timed out"
    case .disconnected: "disconnected"
    case .cancelled: "stopped"
    case .radioFailed: "radio"
    case .inputEnded: "input ended"
    }
  }
}

extension CentralError {
  /// Whether the ball refused because there is no bond, or only one that is too weak.
  fileprivate var wantsPairing: Bool {
    switch self {
    case .discovery(let code), .refused(let code): code.wantsProtection
    case .offline, .connectionLimit, .keys: false
    }
  }

  /// The error as a sentence.
  var sentence: String {
    switch self {
    case .offline: "The device is offline."
    case .connectionLimit: "Bluetooth failed: The maximum number of connections has been reached."
    case .keys: "The bond's key did not encrypt the connection."
    case .discovery(let code): "Bluetooth failed: \(Self.sentence(of: code))"
    case .refused(let code): "The device refused: \(Self.sentence(of: code))"
    }
  }

  private static func sentence(of code: ATTErrorCode) -> String {
    ATTErrorCode.sentence(of: Int(code.rawValue))
  }

  /// A fixed name for this kind of error, as in the SDK.
  fileprivate var slug: String {
    switch self {
    case .offline: "ITCB-SDK-REJECT-OFFLINE"
    case .connectionLimit, .keys, .discovery: "ITCB-SDK-ERROR-BLUETOOTH"
    case .refused: "ITCB-SDK-REJECT-PERIPHERAL-ERROR"
    }
  }
}
