import BluetoothHost
import EightBall

/// Prints the progress of `eightball ask`, and its outcome. For people: the answer on stdout, all
/// else on stderr. For programs: one object per line, on stdout.
struct AskPrinter {
  /// Whether programs read the output.
  let isJSON: Bool

  /// The program begins. `isChosen`: the program chose the question.
  func begins(_ request: AskRequest, _ radio: ChosenRadio, isChosen: Bool) {
    guard !isJSON else { return }
    Terminal.note(radio.sentence)
    if isChosen, let question = request.question { Terminal.note("Question: \(question)") }
  }

  /// The search for a ball begins.
  func searches(_ request: AskRequest) {
    guard !isJSON else { return }
    Terminal.note(
      request.name.map { "Looking for “\(printable($0))”…" } ?? "Looking for a ball…")
  }

  /// A ball was found.
  func found(_ ball: NearbyDevice) {
    guard isJSON else {
      let heard = ball.rssi.map { ", \(strength($0))" } ?? ""
      return Terminal.note("Found “\(printable(ball.name ?? ""))”\(heard).")
    }
    var line = JSONLine(event: "found")
    line.add("name", ball.name)
    line.add("address", ball.address)
    line.add("rssi", ball.rssi)
    line.print()
  }

  /// A ball is connected.
  func connected(_ ball: NearbyDevice) {
    guard isJSON else { return }
    var line = JSONLine(event: "connected")
    line.add("address", ball.address)
    line.print()
  }

  /// A ball that stays connected waits for questions.
  func isReady() {
    if !isJSON { Terminal.note("Connected: each line is a question. Control-D ends.") }
  }

  /// The user has to compare, enter or type a number.
  func asks(_ prompt: PairingPrompt) {
    switch prompt {
    case .compareNumber(let number):
      let digits = Self.sixDigits(number)
      say("Does the ball show \(digits)? Type y or n.", kind: "compare", digits)
    case .showPasskey(let number):
      let digits = Self.sixDigits(number)
      say("Enter at the ball: \(digits).", kind: "passkey", digits)
    case .enterPasskey:
      say("Type the six digits that the ball shows.", kind: "enter", nil)
    case .confirmPairing: return
    }
  }

  private func say(_ text: String, kind: String, _ number: String?) {
    guard isJSON else { return Terminal.note(text) }
    var line = JSONLine(event: "prompt")
    line.add("kind", kind)
    line.add("number", number)
    line.print()
  }

  private static func sixDigits(_ number: UInt32) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  /// The ball has sent an answer without a new question, as after a shake.
  func notified(_ answer: String) { answered(answer, to: nil) }

  private func answered(_ answer: String, to question: String?) {
    let text = Answer(sent: answer).map { String(writing: $0.text.writePrefix) } ?? answer
    guard isJSON else { return Terminal.print(printable(text)) }
    var line = JSONLine(event: "answer")
    line.add("question", question)
    line.add("text", text)
    line.print()
  }

  /// A question, or all, is over. `question` is `nil` if this concerns none.
  func ended(_ outcome: AskOutcome, of question: String?, _ request: AskRequest) {
    switch outcome {
    case .answered(let text): answered(text, to: question)
    case .inputEnded: break
    case .refused where isJSON:
      var line = JSONLine(event: "refused")
      line.add("question", question)
      line.add("reason", "not a question")
      line.print()
    case _ where isJSON: failed(outcome.explanation(for: request), reason: outcome.word)
    default: Terminal.note(outcome.explanation(for: request))
    }
  }

  /// The program failed. `reason` is a word for programs.
  func failed(_ text: String, reason: String) {
    printFailure(text, reason: reason, isJSON: isJSON)
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
