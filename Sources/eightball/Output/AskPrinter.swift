import BluetoothHost
import CoreBluetooth
import EightBallKit

/// Tells of a question on its way.
protocol AskPrinter: Sendable {
  /// It begins. `isChosen`: the program has chosen the question.
  func begins(_ inquiry: Inquiry, _ radio: ChosenRadio, isChosen: Bool)
  /// A ball is looked for.
  func searches(_ inquiry: Inquiry)
  /// A ball was found.
  func found(_ ball: Ball)
  /// A ball is connected.
  func connected(_ ball: Ball)
  /// It is over.
  func ended(_ outcome: AskOutcome, _ inquiry: Inquiry)
  /// It failed before there was anything to tell of. `reason` is a word for programs.
  func failed(_ text: String, reason: String)
}

/// The answer on stdout, all else on stderr.
struct HumanAskPrinter: AskPrinter {
  func begins(_ inquiry: Inquiry, _ radio: ChosenRadio, isChosen: Bool) {
    Terminal.note(radio.sentence)
    if isChosen { Terminal.note("Question: \(inquiry.question)") }
  }

  func searches(_ inquiry: Inquiry) {
    Terminal.note(
      inquiry.name.map { "Looking for “\(printable($0))”…" } ?? "Looking for a ball…")
  }

  func found(_ ball: Ball) {
    let heard = ball.rssi.map { ", \(strength($0))" } ?? ""
    Terminal.note("Found “\(printable(ball.name))”\(heard).")
  }

  func connected(_ ball: Ball) {}

  func ended(_ outcome: AskOutcome, _ inquiry: Inquiry) {
    if case .answered(let text) = outcome {
      Terminal.print(printable(BallAnswer(text)?.text ?? text))
    } else {
      Terminal.note(outcome.explanation(for: inquiry))
    }
  }

  func failed(_ text: String, reason: String) {
    tellFailure(text, reason: reason, isJSON: false)
  }
}

/// One object a line, on stdout.
struct JSONAskPrinter: AskPrinter {
  func begins(_ inquiry: Inquiry, _ radio: ChosenRadio, isChosen: Bool) {}
  func searches(_ inquiry: Inquiry) {}

  func found(_ ball: Ball) {
    var line = JSONLine(event: "found")
    line["name"] = ball.name
    line.add("address", DeviceAddress(ball.id))
    line.add("rssi", ball.rssi)
    line.print()
  }

  func connected(_ ball: Ball) {
    var line = JSONLine(event: "connected")
    line.add("address", DeviceAddress(ball.id))
    line.print()
  }

  func ended(_ outcome: AskOutcome, _ inquiry: Inquiry) {
    switch outcome {
    case .answered(let text):
      var line = JSONLine(event: "answer")
      line["question"] = inquiry.question
      line["text"] = BallAnswer(text)?.text ?? text
      line.print()
    case .refused:
      var line = JSONLine(event: "refused")
      line["question"] = inquiry.question
      line["reason"] = "not a question"
      line.print()
    default:
      failed(outcome.explanation(for: inquiry), reason: outcome.word)
    }
  }

  func failed(_ text: String, reason: String) {
    tellFailure(text, reason: reason, isJSON: true)
  }
}
