import Boards
import EightBall
import Glibc
import LinuxBoard
import LinuxSystem

/// The buttons and lights of a ball that runs, and on the virtual board whoever presses and
/// watches them.
final class BodyOfBall {
  /// What the ball is given.
  let body: any BallBody

  private var control: BoardControl?
  private var keyboard: Keyboard?
  /// The virtual board's lines.
  private var lines: VirtualLines?

  /// The body on `board`; `nil` if it has no buttons and lights, and is no virtual board, which
  /// can be asked for them all the same.
  init?(_ board: BoardDescription?, loop: EventLoop, printer: BallPrinter) throws(SystemError) {
    guard let board, board.hasLines || board.isVirtual else { return nil }
    guard board.isVirtual else {
      let lines = ChipLines(board)
      body = BoardBody(board, lines: lines, loop: loop, chips: lines.watchChips(in: loop))
      return
    }
    let lines = VirtualLines(board)
    self.lines = lines
    body = BoardBody(board, lines: lines, loop: loop)
    do throws(SystemError) {
      control = try BoardControl(lines, loop: loop)
    } catch {
      guard error.code == .addressInUse else { throw error }
      Terminal.note(
        "Warning: another ball runs on the virtual board, and eightball press means that one. "
          + "Set EIGHTBALL_BOARD to another path for this one.")
    }
    keyboard = try Keyboard(loop: loop) { Self.obey($0, lines) }
    if let keyboard, !printer.isJSON {
      let status = StatusLine(lines) { [weak keyboard] in keyboard?.takeKeys() ?? false }
      lines.onChange = { status.draw() }
      keyboard.onStop = { status.erase() }
      keyboard.onContinue = { status.draw() }
      printer.statusLine = status
      Terminal.useFooter(status)
      status.draw()
    }
  }

  /// Turns the lights off, and gives everything back.
  func close() {
    lines?.onChange = nil
    Terminal.useFooter(nil)
    keyboard?.close()
    control?.close()
    control = nil
    body.close()
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
