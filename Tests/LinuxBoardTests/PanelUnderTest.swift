import BluetoothHost
import EightBall
import Glibc
import LinuxSystem

@testable import BallRunner
@testable import LinuxBoard

/// Virtual lines that are used as a chip's: edges are read when the descriptor is ready, and a
/// directory shows whether the chip is there.
final class WatchedLines: FrontPanelPort {
  let lines: VirtualLines
  private let chips: DirectoryWatch?
  private var isListening = true
  private var mayHaveEdges = false
  private var hasHungUp = false

  init(_ lines: VirtualLines, chips: DirectoryWatch? = nil) {
    self.lines = lines
    self.chips = chips
  }

  var deadline: Instant? { lines.deadline }

  /// Looks at the descriptor as a loop does; whether it wakes the loop.
  func poll() -> Bool {
    guard lines.descriptor >= 0 else { return false }
    var wait = pollfd(fd: lines.descriptor, events: isListening ? Int16(POLLIN) : 0, revents: 0)
    guard unsafe Glibc.poll(&wait, 1, 0) > 0 else { return false }
    mayHaveEdges = true
    if wait.revents & Int16(POLLHUP | POLLERR) != 0 { hasHungUp = true }
    return true
  }

  func stopWatching() { chips?.stop() }

  let hasPanel = true

  func openLines() -> Bool { lines.openLines() }

  func closeLines() {
    lines.closeLines()
    isListening = true
    mayHaveEdges = false
    hasHungUp = false
  }

  func debounce(of button: ButtonName) -> UInt32 { lines.debounce(of: button) }

  func contact(of button: ButtonName) -> ContactRead { lines.contact(of: button) }

  func nextEdge() -> EdgeRead {
    guard mayHaveEdges || !isListening else { return .none }
    let edge = lines.nextEdge()
    if edge == .none { mayHaveEdges = false }
    return edge
  }

  func listen(toEdges isListening: Bool) { self.isListening = isListening }

  func set(_ light: LightName, isLit: Bool) -> Bool { lines.set(light, isLit: isLit) }

  func checkLines() -> Bool { lines.checkLines() }

  func takeLinesChange() -> LinesChange {
    let hasChipChanged = chips?.takeChange() ?? false
    guard hasHungUp else { return hasChipChanged ? .chipChanged : .none }
    hasHungUp = false
    return .hungUp
  }

  func writeLinesTrouble(to writer: inout ByteWriter) { lines.writeLinesTrouble(to: &writer) }
}

/// A panel on a board's lines, its turns made by a test, and its reports.
final class PanelUnderTest {
  /// A report about the lines.
  enum News: Equatable {
    case lost(String)
    case ready
  }

  private(set) var actions: [FrontPanelAction] = []
  private(set) var news: [News] = []
  private var board: WatchedLines
  private var control = ButtonDriver()
  private var complaint: String?

  init(_ board: WatchedLines) {
    self.board = board
  }

  var deadline: Instant? { Instant.earlier(control.deadline, board.deadline) }

  func show(_ lights: BallLights, at now: Instant) { control.show(lights, at: now) }

  func showAnswer(at now: Instant) { control.showAnswer(at: now) }

  /// The runner's work with a panel in one turn.
  func turn(at now: Instant) {
    board.lines.advance(to: now)
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
    board.closeLines()
    board.stopWatching()
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
