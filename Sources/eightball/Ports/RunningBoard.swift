import BallRunner
import BluetoothHost
import Boards
import EightBall
import Glibc
import LinuxBoard
import LinuxSystem

/// The board of a running ball. A virtual board also has the keys that press its buttons, and the
/// line that draws it.
final class RunningBoard {
  /// Its buttons and lights.
  let panel: BoardPanel

  private let screen: Screen
  private var keyboard: Keyboard?
  private let board: BoardDescription
  /// The virtual board's lines.
  private var lines: VirtualLines?

  /// The board that `board` describes; `nil` for a real board without buttons and lights. A virtual
  /// board without them still has its keys.
  ///
  /// - Parameters:
  ///   - drawsBall: Whether to draw the ball, if there is a terminal.
  ///   - user: Takes the keys that answer a pairing question.
  init?(
    _ board: BoardDescription, loop: EventLoop, screen: Screen, drawsBall: Bool,
    user: PairingUser? = nil
  ) throws(SystemError) {
    guard board.hasLines || board.isVirtual else { return nil }
    self.screen = screen
    self.board = board
    guard board.isVirtual else {
      let lines = ChipLines(board)
      panel = BoardPanel(board, lines: lines, loop: loop, chips: lines.watchChips(in: loop))
      return
    }
    let lines = VirtualLines(board)
    self.lines = lines
    panel = BoardPanel(board, lines: lines, loop: loop)
    keyboard = try Keyboard(loop: loop) {
      user?.press($0)
      Self.handle($0, lines)
    }
    guard let keyboard, drawsBall else { return }
    guard Terminal.takesEscapes else {
      screen.note("Keys:" + String(writing: StatusLine(lines).writeKeys))
      return
    }
    let line = StatusLine(lines) { [weak keyboard] in keyboard?.takeKeys() ?? false }
    line.question = { user?.question }
    screen.statusLine = line
    lines.onChange = { screen.draw() }
    keyboard.onStop = { screen.erase() }
    keyboard.onContinue = { screen.draw() }
    screen.draw()
  }

  /// Whether it reads the keys of the terminal.
  var hasKeyboard: Bool { keyboard != nil }

  /// Whether the board has this light.
  func has(_ light: LightName) -> Bool { board.line(light) != nil }

  /// Presses or releases `button` for a program.
  func press(_ button: ButtonName, isDown: Bool) -> PressResult {
    guard let lines else { return panel.press(button, isDown: isDown) }
    guard isDown else {
      lines.releaseHeld(button)
      return .done
    }
    return switch lines.hold(button, at: MonotonicClock.now) {
    case .done: .done
    case .alreadyDown: .isDown
    case .noButton: .noButton
    }
  }

  /// Shows this answer; `nil` for none.
  func show(_ answer: Answer?) {
    guard let statusLine = screen.statusLine else { return }
    statusLine.answer = answer
    screen.draw()
  }

  /// Restores the terminal and releases the lines.
  func close() {
    lines?.onChange = nil
    screen.erase()
    screen.statusLine = nil
    keyboard?.close()
    panel.close()
  }

  private static func handle(_ key: Unicode.Scalar, _ lines: VirtualLines) {
    let now = MonotonicClock.now
    switch key {
    case "s", "S": lines.press(.shake, for: 100, at: now)
    case "c": lines.press(.clear, for: 100, at: now)
    case "C": lines.press(.clear, for: Panel.holdTime + 100, at: now)
    case "q", "Q": kill(getpid(), SIGTERM)
    default: return
    }
  }
}
