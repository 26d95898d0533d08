import BallRunner
import BluetoothHost
import Boards
import EightBall
import Glibc
import LinuxBoard
import LinuxSystem

/// What a terminal has of a ball's board: the keys, for a virtual board its buttons and lights and
/// the line that draws it, and the user who answers a pairing question.
final class TerminalBoard {
  /// The virtual board's buttons and lights; `nil` if the board is not virtual.
  let lines: VirtualLines?
  /// The user who answers pairing questions; `nil` without one.
  let user: PairingUser?

  private let screen: Screen
  private var keyboard: Keyboard?

  /// A terminal for `board`, which may be missing.
  ///
  /// - Parameter hasUser: Whether a user at the terminal answers pairing questions.
  init(_ board: BoardDescription?, screen: Screen, hasUser: Bool) {
    self.screen = screen
    user = hasUser ? PairingUser() : nil
    lines = board.flatMap { $0.isVirtual ? VirtualLines($0) : nil }
  }

  /// Starts to read keys, and to draw the ball.
  ///
  /// - Parameters:
  ///   - loop: Reads the keys.
  ///   - drawsBall: Whether to draw the ball on a virtual board, if there is a terminal.
  func open(in loop: EventLoop, drawsBall: Bool) throws(SystemError) {
    let (user, lines, screen) = (user, lines, screen)
    guard lines != nil || user != nil else { return }
    keyboard = try Keyboard(loop: loop) { key in
      user?.press(key)
      if let lines { Self.press(key, on: lines) }
    }
    guard let lines, let keyboard, drawsBall else { return }
    guard Terminal.takesEscapes else {
      screen.note("Keys:" + String(writing: StatusLine(lines).writeKeys))
      return
    }
    let line = StatusLine(lines) { [weak keyboard] in keyboard?.takeKeys() ?? false }
    line.question = { user?.question }
    screen.statusLine = line
    lines.onChange = { screen.draw() }
    keyboard.onContinue = { screen.draw() }
    screen.draw()
  }

  /// Whether the user wants to stop the program.
  var isStopWanted: Bool { keyboard?.isStopWanted ?? false }

  /// Stops the program; returns when it continues.
  func stop() { keyboard?.stop() }

  /// Shows this answer; `nil` for none.
  func show(_ answer: Answer?) {
    guard let statusLine = screen.statusLine else { return }
    statusLine.answer = answer
    screen.draw()
  }

  /// The user has to answer `question`; `nil` for none.
  func ask(_ question: PairingPrompt?) {
    guard let user, user.question != question else { return }
    user.question = question
    screen.draw()
  }

  /// Restores the terminal and releases the lines.
  func close() {
    lines?.onChange = nil
    keyboard?.close()
    lines?.closeLines()
  }

  private static func press(_ key: Unicode.Scalar, on lines: VirtualLines) {
    let now = MonotonicClock.now
    switch key {
    case "s", "S": lines.press(.shake, for: 100, at: now)
    case "c": lines.press(.clear, for: 100, at: now)
    case "C": lines.press(.clear, for: FrontPanel.holdTime + 100, at: now)
    case "q", "Q": kill(getpid(), SIGTERM)
    default: return
    }
  }
}
