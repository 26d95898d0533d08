import BluetoothHost
import CoreBluetooth
import EightBallKit

/// Prints the progress of `eightball ask`, and its outcome.
protocol AskPrinter: Sendable {
  /// The program begins. `isChosen`: the program chose the question.
  func begins(_ request: AskRequest, _ radio: ChosenRadio, isChosen: Bool)
  /// The search for a ball begins.
  func searches(_ request: AskRequest)
  /// A ball was found.
  func found(_ ball: Ball)
  /// A ball is connected.
  func connected(_ ball: Ball)
  /// A ball that stays connected waits for questions.
  func isReady(_ ball: Ball)
  /// The ball has sent an answer without a new question, as after a shake.
  func notified(_ answer: String)
  /// A question, or all, is over. `question` is `nil` if this concerns none.
  func ended(_ outcome: AskOutcome, of question: String?, _ request: AskRequest)
  /// The program failed. `reason` is a word for programs.
  func failed(_ text: String, reason: String)
}

/// The answer on stdout, all else on stderr.
struct HumanAskPrinter: AskPrinter {
  func begins(_ request: AskRequest, _ radio: ChosenRadio, isChosen: Bool) {
    Terminal.note(radio.sentence)
    if isChosen, let question = request.question { Terminal.note("Question: \(question)") }
  }

  func searches(_ request: AskRequest) {
    Terminal.note(
      request.name.map { "Looking for “\(printable($0))”…" } ?? "Looking for a ball…")
  }

  func found(_ ball: Ball) {
    let heard = ball.rssi.map { ", \(strength($0))" } ?? ""
    Terminal.note("Found “\(printable(ball.name))”\(heard).")
  }

  func connected(_ ball: Ball) {}

  func isReady(_ ball: Ball) {
    Terminal.note("Connected: each line is a question. Control-D ends.")
  }

  func notified(_ answer: String) { Terminal.print(printable(BallAnswer(answer)?.text ?? answer)) }

  func ended(_ outcome: AskOutcome, of question: String?, _ request: AskRequest) {
    switch outcome {
    case .answered(let text): notified(text)
    case .inputEnded: break
    default: Terminal.note(outcome.explanation(for: request))
    }
  }

  func failed(_ text: String, reason: String) {
    printFailure(text, reason: reason, isJSON: false)
  }
}

/// One object a line, on stdout.
struct JSONAskPrinter: AskPrinter {
  func begins(_ request: AskRequest, _ radio: ChosenRadio, isChosen: Bool) {}
  func searches(_ request: AskRequest) {}

  func found(_ ball: Ball) {
    var line = JSONLine(event: "found")
    line.add("name", ball.name)
    line.add("address", DeviceAddress(ball.id))
    line.add("rssi", ball.rssi)
    line.print()
  }

  func connected(_ ball: Ball) {
    var line = JSONLine(event: "connected")
    line.add("address", DeviceAddress(ball.id))
    line.print()
  }

  func isReady(_ ball: Ball) {}

  func notified(_ answer: String) { print(answer, to: nil) }

  private func print(_ answer: String, to question: String?) {
    var line = JSONLine(event: "answer")
    line.add("question", question)
    line.add("text", BallAnswer(answer)?.text ?? answer)
    line.print()
  }

  func ended(_ outcome: AskOutcome, of question: String?, _ request: AskRequest) {
    switch outcome {
    case .answered(let text):
      print(text, to: question)
    case .inputEnded:
      break
    case .refused:
      var line = JSONLine(event: "refused")
      line.add("question", question)
      line.add("reason", "not a question")
      line.print()
    default:
      failed(outcome.explanation(for: request), reason: outcome.word)
    }
  }

  func failed(_ text: String, reason: String) {
    printFailure(text, reason: reason, isJSON: true)
  }
}
