import BluetoothCentral
import BluetoothHost
import EightBall
import LinuxRadio

/// Tells of a question on its way.
protocol AskPrinter {
  /// It begins. `isChosen`: the program has chosen the question.
  func begins(_ inquiry: BallInquiry, _ radio: ChosenRadio, isChosen: Bool)
  func tell(_ event: BallClientEvent, of inquiry: BallInquiry)
  /// It failed before there was anything to tell of. `reason` is a word for programs.
  func failed(_ text: String, reason: String)
}

/// The answer on stdout, all else on stderr.
struct HumanAskPrinter: AskPrinter {
  func begins(_ inquiry: BallInquiry, _ radio: ChosenRadio, isChosen: Bool) {
    Terminal.note(radio.sentence)
    if isChosen { Terminal.note("Question: \(inquiry.question)") }
  }

  func tell(_ event: BallClientEvent, of inquiry: BallInquiry) {
    switch event {
    case .searching:
      Terminal.note(
        inquiry.name.map { "Looking for “\(printable($0))”…" } ?? "Looking for a ball…")
    case .found(let discovery):
      let name = discovery.name.map { "“\(printable($0))”" } ?? "a ball without a name"
      Terminal.note("Found \(name)\(discovery.rssi.map { ", " + strength($0) } ?? "").")
    case .decided(.answered(let text)):
      Terminal.print(printable(Answer.wording(of: text)))
    case .decided(let outcome):
      Terminal.note(outcome.sentence(inquiry))
    case .connected, .asked, .finished:
      return
    }
  }

  func failed(_ text: String, reason: String) {
    Terminal.note("Error: \(text)")
  }
}

/// One object a line, on stdout.
struct JSONAskPrinter: AskPrinter {
  func begins(_ inquiry: BallInquiry, _ radio: ChosenRadio, isChosen: Bool) {}

  func tell(_ event: BallClientEvent, of inquiry: BallInquiry) {
    switch event {
    case .searching, .asked, .finished:
      return
    case .found(let discovery):
      var line = JSONLine(event: "found")
      line["name"] = discovery.name
      line.add("address", discovery.address)
      line.add("rssi", discovery.rssi.map { Int($0) })
      line.print()
    case .connected(let address):
      var line = JSONLine(event: "connected")
      line.add("address", address)
      line.print()
    case .decided(let outcome):
      tell(outcome, of: inquiry)
    }
  }

  private func tell(_ outcome: BallOutcome, of inquiry: BallInquiry) {
    guard case .answered(let text) = outcome else {
      guard outcome == .refused else {
        return failed(outcome.sentence(inquiry), reason: outcome.word)
      }
      var line = JSONLine(event: "refused")
      line["question"] = inquiry.question
      line["reason"] = "not a question"
      return line.print()
    }
    var line = JSONLine(event: "answer")
    line["question"] = inquiry.question
    line["text"] = Answer.wording(of: text)
    line.print()
  }

  func failed(_ text: String, reason: String) {
    var line = JSONLine(event: "failed")
    line["reason"] = reason
    line["detail"] = text
    line.print()
  }
}
