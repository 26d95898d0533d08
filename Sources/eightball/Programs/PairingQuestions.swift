import CoreBluetooth

/// Asks the user the questions of a pairing, on standard error or as JSON on standard output. Reads
/// the answer from standard input: a line with y or n, or with six digits.
struct PairingQuestions: Sendable {
  /// Whether programs read the output.
  let isJSON: Bool

  /// How the radio pairs.
  var pairing: CBPairing {
    CBPairing(ability: .keyboardDisplay) { request in ask(request) }
  }

  private func ask(_ request: CBPairingRequest) {
    switch request.prompt {
    case .confirm:
      // The user has consented with --pair.
      request.answer(true)
    case .compare(let number):
      say("Does the ball show \(number)? Type y or n.", kind: "compare", number)
      let line = readLine()?.lowercased()
      request.answer(line == "y" || line == "yes")
    case .showPasskey(let number):
      say("Enter at the ball: \(number).", kind: "passkey", number)
    case .enterPasskey:
      repeat {
        say("Type the six digits that the ball shows.", kind: "enter", nil)
        guard let line = readLine(), !line.isEmpty else { return request.answer(false) }
        if request.enter(line) { return }
      } while true
    }
  }

  private func say(_ text: String, kind: String, _ number: String?) {
    guard isJSON else { return Terminal.note(text) }
    var line = JSONLine(event: "prompt")
    line.add("kind", kind)
    line.add("number", number)
    line.print()
  }
}
