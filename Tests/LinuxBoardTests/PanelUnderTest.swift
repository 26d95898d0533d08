import BluetoothHost
import EightBall
import LinuxSystem

@testable import BallRunner
@testable import LinuxBoard

/// A panel on a board's lines, its turns made by a test, and its reports.
final class PanelUnderTest {
  /// A report about the lines.
  enum News: Equatable {
    case lost(String)
    case ready
  }

  private(set) var actions: [PanelAction] = []
  private(set) var news: [News] = []
  private var board: BoardPanel
  private var control = PanelControl()
  private var complaint: String?

  init(_ board: BoardPanel) {
    self.board = board
  }

  var deadline: Instant? { Instant.earlier(control.deadline, board.deadline) }

  func show(_ lights: BallLights, at now: Instant) { control.show(lights, at: now) }

  func showAnswer(at now: Instant) { control.showAnswer(at: now) }

  /// A program presses or releases a button.
  func press(_ button: ButtonName, isDown: Bool) -> PressResult {
    board.press(button, isDown: isDown)
  }

  /// The runner's work with a panel in one turn.
  func turn(at now: Instant) {
    board.advance(to: now)
    control.readButtons(from: &board, at: now)
    while let action = control.nextAction() { actions.append(action) }
    control.light(&board, at: now)
    switch control.takeLinesEvent() {
    case .lost: complain(reason)
    case .ready:
      if complaint != nil { news.append(.ready) }
      complaint = nil
    case nil: break
    }
  }

  /// Turns the lights off, and releases the lines.
  func close() {
    control.close(&board)
    board.close()
  }

  private var reason: String {
    var text = ByteBuffer<384>()
    text.write { board.writeLinesTrouble(to: &$0) }
    let bytes = text.span
    return unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  private func complain(_ reason: String) {
    guard complaint != reason else { return }
    complaint = reason
    news.append(.lost(reason))
  }
}
