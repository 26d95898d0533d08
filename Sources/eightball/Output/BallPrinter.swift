import BluetoothHost
import EightBall
import LinuxBoard
import LinuxRadio
import VirtualRadio

/// Prints what happens to a ball: in words for people, in JSON for programs.
final class BallPrinter: BallObserver {
  private let name: String
  /// Whether it prints for programs.
  let isJSON: Bool
  /// Where the answer is drawn, if anywhere.
  var statusLine: StatusLine?
  /// Why the radio is lost, as was last printed; `nil` while it is not.
  private var loss: String?
  /// Whether it has been told that the ball advertises. A controller stops at each connection,
  /// and is started again as long as there are places: nobody needs to know.
  private var isKnownToAdvertise = false
  private var connections = 0

  // Kept, so that printing makes no heap calls.
  private var line = Line()
  private var json = JSONLine(event: "")

  init(name: String, isJSON: Bool) {
    self.name = name
    self.isJSON = isJSON
  }

  func begins(_ radio: ChosenRadio, on board: ChosenBoard) {
    guard !isJSON else { return }
    Terminal.print(board.sentence)
    Terminal.print(radio.sentence)
  }

  /// The program ends: it cannot run.
  func failed(_ text: String, reason: String) {
    guard isJSON else { return Terminal.note("Error: \(text)") }
    json.begin("failed")
    json["reason"] = reason
    json["detail"] = text
    json.print()
  }

  func radioWasLost(_ error: RadioError) {
    tellLoss(error.description)
  }

  func ball(
    _ own: DeviceAddress, did event: BallEvent, with central: DeviceAddress?,
    question: Span<UInt8>
  ) {
    if case .answered(_, let answer) = event { statusLine?.show(answer) }
    if isSilent(event) { return }
    if isJSON {
      tellPrograms(own, event, central, question)
    } else {
      tellPeople(own, event, question)
    }
  }

  func prints(_ event: BallEvent) -> Bool {
    if case .subscribed = event { isJSON } else { true }
  }

  func ball(didOmit count: Int, at place: Int, of central: DeviceAddress?) {
    if isJSON {
      return tell("omitted", central) {
        $0.add("place", place)
        $0.add("count", count)
      }
    }
    print {
      $0.append("(")
      $0.append(count)
      $0.append(count == 1 ? " line of " : " lines of ")
      if let central { $0.append(central) } else { $0.append("several centrals") }
      $0.append(count == 1 ? " was left out.)" : " were left out.)")
    }
  }

  func button(did action: PanelAction) {
    if action != .shake { statusLine?.show(nil) }
    guard !isJSON else {
      json.begin("button")
      json["action"] = action.word
      return json.print()
    }
    switch action {
    case .shake: print { $0.append("Shaken.") }
    case .clear: print { $0.append("Cleared: every question and answer is forgotten.") }
    case .release: print { $0.append("Clear was held: everybody is let go.") }
    }
  }

  func board(wasLost reason: String?) {
    guard !isJSON else {
      json.begin("board")
      json["state"] = reason == nil ? "ready" : "lost"
      json["detail"] = reason
      return json.print()
    }
    guard let reason else { return Terminal.print("Buttons and lights: ready.") }
    Terminal.note("Buttons and lights: none for now; \(sentence(printable(reason)))")
  }

  /// Keeps account of what has been told, and finds what need not be.
  private func isSilent(_ event: BallEvent) -> Bool {
    switch event {
    case .radio(.advertising):
      let isKnown = isKnownToAdvertise
      isKnownToAdvertise = true
      return isKnown
    case .radio(.fault):
      isKnownToAdvertise = false
    case .connected:
      connections += 1
      if connections == BallProgram<BallPrinter>.places { isKnownToAdvertise = false }
    case .disconnected:
      connections -= 1
    default:
      break
    }
    return false
  }

  // MARK: For people

  private func tellPeople(
    _ own: DeviceAddress, _ event: BallEvent, _ question: Span<UInt8>
  ) {
    switch event {
    case .radio(.fault(let fault)) where fault != .lost:
      tellLoss(fault.text)
    case .radio(.advertising):
      tellReady()
      print {
        $0.append("Advertising as “")
        $0.append(printable(name))
        $0.append("” (")
        $0.append(own)
        $0.append(").")
      }
    case .radio(.silent):
      tellReady()
    case .connected(_, let address):
      print {
        $0.append("Connected: ")
        $0.append(address)
        $0.append(".")
      }
      if !isKnownToAdvertise { print { $0.append("All places are taken; not advertising.") } }
    case .disconnected(_, let address, let reason):
      print {
        $0.append("Disconnected: ")
        $0.append(address)
        $0.append(", ")
        $0.append(reason.ending)
        $0.append(".")
      }
    case .asked:
      print {
        $0.append("Question: ")
        $0.append(scalarsOf: question) { $0.append(printable($1)) }
      }
    case .refused(_, let refusal):
      print {
        $0.append("Refused: ")
        $0.append(refusal.sentence)
        $0.append(".")
      }
    case .answered(_, let answer):
      print {
        $0.append("Answer: ")
        $0.append(answer)
      }
    case .missed(let count):
      print {
        $0.append("(")
        $0.append(count)
        $0.append(" events were missed.)")
      }
    case .radio(.starting), .radio(.fault), .subscribed:
      return
    }
  }

  private func print(_ body: (inout Line) -> Void) {
    line.removeAll()
    body(&line)
    Terminal.print(&line)
  }

  private func tellReady() {
    guard loss != nil else { return }
    loss = nil
    guard isJSON else { return Terminal.print("Radio: ready again.") }
    tellRadio("ready", nil)
  }

  private func tellLoss(_ detail: String) {
    // The same trouble at each attempt is no news.
    guard loss != detail else { return }
    loss = detail
    guard isJSON else { return Terminal.note("Radio: lost; \(sentence(detail)) Trying again…") }
    tellRadio("lost", detail)
  }

  // MARK: For programs

  private func tellPrograms(
    _ own: DeviceAddress, _ event: BallEvent, _ central: DeviceAddress?, _ question: Span<UInt8>
  ) {
    switch event {
    case .radio(.fault(let fault)) where fault != .lost:
      tellLoss(fault.text)
    case .radio(.advertising):
      tellReady()
      json.begin("advertising")
      json["name"] = name
      json.add("address", own)
      json.print()
    case .radio(.silent):
      tellReady()
    case .connected(let place, let address):
      tell("connected", address) { $0.add("place", place) }
    case .disconnected(let place, let address, let reason):
      tell("disconnected", address) {
        $0.add("place", place)
        $0["reason"] = reason.ending
        $0.add("code", Int(reason.rawValue))
      }
    case .subscribed(let place, let isSubscribed):
      tell("subscribed", central) {
        $0.add("place", place)
        $0.add("on", isSubscribed)
      }
    case .asked:
      tell("question", central) { $0.add("text", utf8: question) }
    case .refused(_, let refusal):
      tell("refused", central) { $0["reason"] = refusal.sentence }
    case .answered(_, let answer):
      tell("answer", central) { $0.add("text") { $0.append(answer) } }
    case .missed(let count):
      tell("missed", nil) { $0.add("count", count) }
    case .radio(.starting), .radio(.fault):
      return
    }
  }

  private func tell(
    _ event: String, _ central: DeviceAddress?, _ more: (inout JSONLine) -> Void
  ) {
    json.begin(event)
    json.add("central", central)
    more(&json)
    json.print()
  }

  private func tellRadio(_ state: String, _ detail: String?) {
    json.begin("radio")
    json["state"] = state
    json["detail"] = detail
    json.print()
  }
}

extension PanelAction {
  /// What it is called, for programs.
  fileprivate var word: String {
    switch self {
    case .shake: "shake"
    case .clear: "clear"
    case .release: "release"
    }
  }
}

extension QuestionRule.Refusal {
  /// Why it is not a question.
  fileprivate var sentence: String {
    switch self {
    case .statement: "not a question (it must end in “?”)"
    case .notUTF8: "not UTF-8"
    case .tooLong: "longer than 512 bytes"
    }
  }
}
