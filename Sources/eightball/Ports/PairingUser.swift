import BluetoothHost
import Glibc
import LinuxSystem

/// The user at the terminal, who says yes or no to what a pairing asks.
final class PairingUser {
  /// Whether there is one: keys come from a terminal, and lines go to it.
  static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// What is asked; `nil` for nothing. A key that comes then is no answer.
  var question: PairingPrompt?

  private var pendingAnswer: Bool?
  private var keyboard: Keyboard?

  /// Reads the keys itself, on a board that has no keys of its own.
  func listen(in loop: EventLoop) throws(SystemError) {
    keyboard = try Keyboard(loop: loop) { [weak self] in self?.press($0) }
  }

  /// A key was pressed.
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

  /// Gives the terminal back.
  func close() { keyboard?.close() }
}
