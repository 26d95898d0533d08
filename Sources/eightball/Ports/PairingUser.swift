import BluetoothHost
import Glibc

/// The user at the terminal, who answers a pairing question with yes or no.
final class PairingUser {
  /// Whether standard input and standard output are terminals.
  static var hasTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// The current question; `nil` for none, and keys are ignored then.
  var question: PairingPrompt?

  private var pendingAnswer: Bool?

  /// Takes a pressed key.
  func press(_ key: Unicode.Scalar) {
    guard question != nil else { return }
    switch key {
    case "y", "Y": pendingAnswer = true
    case "n", "N": pendingAnswer = false
    default: return
    }
  }

  /// Takes the answer; `nil` if there is none.
  func takeAnswer() -> Bool? {
    defer { pendingAnswer = nil }
    return pendingAnswer
  }
}
