import BluetoothHost
import Boards
import EightBall
import Glibc
import LinuxBoard
import LinuxSystem

/// The board of a ball that runs; on the virtual board also those who press its buttons and see its
/// lights.
final class RunningBoard {
  /// Its buttons and lights.
  let panel: BoardPanel

  private let screen: Screen
  private var control: BoardControl?
  private var keyboard: Keyboard?
  /// The virtual board's lines.
  private var lines: VirtualLines?

  /// The board that `board` describes; `nil` if it has no buttons and lights, and is no virtual board,
  /// which can be asked for them all the same.
  ///
  /// - Parameters:
  ///   - drawsBall: Whether to draw the ball, where there is a terminal.
  ///   - user: Who says yes or no to a pairing, by other keys.
  init?(
    _ board: BoardDescription, loop: EventLoop, screen: Screen, drawsBall: Bool,
    user: PairingUser? = nil
  ) throws(SystemError) {
    guard board.hasLines || board.isVirtual else { return nil }
    self.screen = screen
    guard board.isVirtual else {
      let lines = ChipLines(board)
      panel = BoardPanel(board, lines: lines, loop: loop, chips: lines.watchChips(in: loop))
      return
    }
    let lines = VirtualLines(board)
    self.lines = lines
    panel = BoardPanel(board, lines: lines, loop: loop)
    do throws(SystemError) {
      control = try BoardControl(lines, loop: loop)
    } catch {
      guard error.code == .addressInUse else { throw error }
      screen.note(
        "Warning: another ball runs on the virtual board, and eightball press means that one. "
          + "Set EIGHTBALL_BOARD to another path for this one.")
    }
    keyboard = try Keyboard(loop: loop) {
      user?.press($0)
      Self.obey($0, lines)
    }
    guard let keyboard, drawsBall else { return }
    let line = StatusLine(lines) { [weak keyboard] in keyboard?.takeKeys() ?? false }
    line.question = { user?.question }
    screen.statusLine = line
    lines.onChange = { screen.draw() }
    keyboard.onStop = { screen.erase() }
    keyboard.onContinue = { screen.draw() }
    screen.draw()
  }

  /// Whether it takes the keys of the terminal.
  var hasKeyboard: Bool { keyboard != nil }

  /// The ball shows this answer; `nil` if it has forgotten all.
  func show(_ answer: Answer?) {
    guard let statusLine = screen.statusLine else { return }
    statusLine.answer = answer
    screen.draw()
  }

  /// Gives everything back.
  func close() {
    lines?.onChange = nil
    screen.erase()
    screen.statusLine = nil
    keyboard?.close()
    control?.close()
    control = nil
    panel.close()
  }

  private static func obey(_ key: Unicode.Scalar, _ lines: VirtualLines) {
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
