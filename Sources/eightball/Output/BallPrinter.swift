import BluetoothHost
import EightBall
import LinuxBoard

/// Prints what happens to a ball: in words for people, in JSON for programs.
final class BallPrinter: BallObserver {
  private let name: String
  private let isJSON: Bool
  /// Whether the state of the radio that was told last is that it is lost.
  private var isRadioLost = false
  /// Whether it has been told that the ball advertises. A controller stops at each connection,
  /// and is started again as long as there are places: nobody needs to know.
  private var isKnownToAdvertise = false
  private var connections = 0

  init(name: String, isJSON: Bool) {
    self.name = name
    self.isJSON = isJSON
  }

  func begins(_ radio: ChosenRadio) {
    if !isJSON { Terminal.print(radio.sentence) }
  }

  /// The program ends: it cannot run.
  func failed(_ text: String, reason: String) {
    guard isJSON else { return Terminal.note("Error: \(text)") }
    var line = JSONLine(event: "failed")
    line["reason"] = reason
    line["detail"] = text
    Terminal.print(line.line)
  }

  func radioWasLost(_ error: RadioError) {
    tellLoss(error.description)
  }

  func ball(
    _ own: DeviceAddress, did event: BallEvent, with central: DeviceAddress?,
    question: Span<UInt8>
  ) {
    if isSilent(event) { return }
    if isJSON {
      tellPrograms(own, event, central, question)
    } else {
      tellPeople(own, event, central, question)
    }
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
    _ own: DeviceAddress, _ event: BallEvent, _ central: DeviceAddress?, _ question: Span<UInt8>
  ) {
    switch event {
    case .radio(.fault(let fault)) where fault != .lost:
      tellLoss(fault.phrase)
    case .radio(.advertising):
      tellReady(own)
      Terminal.print("Advertising as “\(printable(name))” (\(own.text)).")
    case .radio(.silent):
      tellReady(own)
    case .connected(_, let address):
      Terminal.print("Connected: \(address.text).")
      if !isKnownToAdvertise { Terminal.print("All places are taken; not advertising.") }
    case .disconnected(_, let address, let reason):
      Terminal.print("Disconnected: \(address.text), \(reason.ending).")
    case .asked:
      Terminal.print("Question: \(printable(text(of: question)))")
    case .refused(_, let refusal):
      Terminal.print("Refused: \(refusal.sentence).")
    case .answered(_, let answer):
      Terminal.print("Answer: \(answer.wording)")
    case .missed(let count):
      Terminal.print("(\(count) events were missed.)")
    case .radio(.starting), .radio(.fault), .subscribed:
      return
    }
  }

  private func tellReady(_ own: DeviceAddress) {
    guard isRadioLost else { return }
    isRadioLost = false
    guard isJSON else { return Terminal.print("Radio: ready again.") }
    tellRadio("ready", nil)
  }

  private func tellLoss(_ detail: String) {
    isRadioLost = true
    guard isJSON else { return Terminal.note("Radio: lost; \(detail). Trying again…") }
    tellRadio("lost", detail)
  }

  // MARK: For programs

  private func tellPrograms(
    _ own: DeviceAddress, _ event: BallEvent, _ central: DeviceAddress?, _ question: Span<UInt8>
  ) {
    switch event {
    case .radio(.fault(let fault)) where fault != .lost:
      tellLoss(fault.phrase)
    case .radio(.advertising):
      tellReady(own)
      var line = JSONLine(event: "advertising")
      line["name"] = name
      line["address"] = own.text
      Terminal.print(line.line)
    case .radio(.silent):
      tellReady(own)
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
      let question = text(of: question)
      tell("question", central) { $0["text"] = question }
    case .refused(_, let refusal):
      tell("refused", central) { $0["reason"] = refusal.sentence }
    case .answered(_, let answer):
      tell("answer", central) { $0["text"] = answer.wording }
    case .missed(let count):
      tell("missed", nil) { $0.add("count", count) }
    case .radio(.starting), .radio(.fault):
      return
    }
  }

  private func tell(
    _ event: String, _ central: DeviceAddress?, _ more: (inout JSONLine) -> Void
  ) {
    var line = JSONLine(event: event)
    line["central"] = central?.text
    more(&line)
    Terminal.print(line.line)
  }

  private func tellRadio(_ state: String, _ detail: String?) {
    var line = JSONLine(event: "radio")
    line["state"] = state
    line["detail"] = detail
    Terminal.print(line.line)
  }
}

extension QuestionRule.Refusal {
  /// Why it is not a question.
  fileprivate var sentence: String {
    switch self {
    case .statement: "not a question (it must end in “?”)"
    case .notUTF8: "not UTF-8"
    case .tooLong: "longer than \(QuestionRule.maximumLength) bytes"
    }
  }
}

extension RadioFault {
  /// What the controller did.
  fileprivate var phrase: String {
    switch self {
    case .hardwareError(let code):
      "the controller reported hardware error 0x\(hexadecimal(code))"
    case .unanswered(let opcode):
      "the controller left command 0x\(hexadecimal(opcode.rawValue)) unanswered"
    case .refused(let opcode, let code):
      "the controller refused command 0x\(hexadecimal(opcode.rawValue)) with error "
        + "0x\(hexadecimal(code.rawValue))"
    case .lost:
      "the way to the controller is gone"
    }
  }
}
