import BluetoothHost
import Glibc
import LinuxSystem

/// The user at the terminal, who answers a pairing question with yes or no.
final class PairingUser {
  /// Whether standard input and standard output are terminals.
  static var hasTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// The current question; `nil` for none, and keys are ignored then.
  var question: PairingPrompt?

  private var pendingAnswer: Bool?
  private var keyboard: Keyboard?

  /// Starts to read keys, on a board that does not read them for its buttons.
  func listen(in loop: EventLoop) throws(SystemError) {
    keyboard = try Keyboard(loop: loop) { [weak self] in self?.press($0) }
  }

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

  /// Restores the terminal.
  func close() { keyboard?.close() }
}
