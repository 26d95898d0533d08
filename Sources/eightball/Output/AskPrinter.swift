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
  /// It is over.
  func ended(_ outcome: AskOutcome, _ request: AskRequest)
  /// The program failed. `reason` is a word for programs.
  func failed(_ text: String, reason: String)
}

/// The answer on stdout, all else on stderr.
struct HumanAskPrinter: AskPrinter {
  func begins(_ request: AskRequest, _ radio: ChosenRadio, isChosen: Bool) {
    Terminal.note(radio.sentence)
    if isChosen { Terminal.note("Question: \(request.question)") }
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

  func ended(_ outcome: AskOutcome, _ request: AskRequest) {
    if case .answered(let text) = outcome {
      Terminal.print(printable(BallAnswer(text)?.text ?? text))
    } else {
      Terminal.note(outcome.explanation(for: request))
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

  func ended(_ outcome: AskOutcome, _ request: AskRequest) {
    switch outcome {
    case .answered(let text):
      var line = JSONLine(event: "answer")
      line.add("question", request.question)
      line.add("text", BallAnswer(text)?.text ?? text)
      line.print()
    case .refused:
      var line = JSONLine(event: "refused")
      line.add("question", request.question)
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
