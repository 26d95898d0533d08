import BallRunner
import BluetoothHost
import Boards
import EightBall
import Glibc
import LinuxSystem

/// The lines of a board as a ball's buttons and lights, whose edges and hang-ups wake a loop.
public final class BoardPanel: PanelPort, EventHandler {
  /// The lines.
  private let lines: any BoardLines<LineError>
  private let board: BoardDescription
  private let loop: EventLoop
  private let chips: DirectoryWatch?
  /// A descriptor of its own, so that the loop can let go of it when the lines have closed theirs.
  private var descriptor: FileDescriptor?
  private var registration: EventLoop.Registration?
  private var mayHaveEdges = false
  private var isListening = true
  private var hasHungUp = false
  /// Why the lines cannot be used.
  private var trouble: LineError?

  /// The lines of `board`, which are not open.
  ///
  /// - Parameter chips: Says that a chip has come or gone. Without it, a chip that goes is noticed by the
  ///   lines' descriptor, where the kernel is so new that this hangs up, or else by the next light; and
  ///   one that comes is noticed when the lines are asked for again.
  public init(
    _ board: BoardDescription, lines: any BoardLines<LineError>, loop: EventLoop,
    chips: DirectoryWatch? = nil
  ) {
    self.board = board
    self.lines = lines
    self.loop = loop
    self.chips = chips
  }

  /// When `advance(to:)` must be called next; `nil` if only a descriptor can bring anything.
  public var deadline: Instant? { lines.deadline }

  /// Lets time pass for lines that have no clock of their own.
  public func advance(to now: Instant) { lines.advance(to: now) }

  /// Gives the lines back, and watches no chips any more.
  public func close() {
    closeLines()
    chips?.stop()
  }

  /// Something has come for the lines.
  public func handle(_ readiness: Readiness, token: Int) {
    if readiness.isReadable { mayHaveEdges = true }
    if readiness.isHangUp { hasHungUp = true }
  }

  // MARK: PanelPort

  /// Whether the board has buttons or lights.
  public var hasPanel: Bool { board.hasLines }

  /// Opens the lines: all, or none.
  public func openLines() -> Bool {
    guard attempt({ (lines) throws(LineError) in try lines.open() }) != nil else { return false }
    watch()
    return true
  }

  /// Gives the lines back.
  public func closeLines() {
    if let registration { loop.remove(registration) }
    registration = nil
    descriptor = nil
    lines.close()
    mayHaveEdges = false
    isListening = true
    hasHungUp = false
  }

  /// The board's figure. The kernel is not asked to leave bounces out: it would delay a press by as much.
  public func debounce(of button: ButtonName) -> UInt32 {
    guard let line = board.line(button) else { return 0 }
    return UInt32(clamping: line.debounceMilliseconds)
  }

  /// Looks at the contact of `button`.
  public func contact(of button: ButtonName) -> ContactRead {
    switch attempt({ (lines) throws(LineError) in try lines.isClosed(button) }) {
    case nil: .lost
    case .some(nil): .none
    case .some(true): .closed
    case .some(false): .open
    }
  }

  /// Takes the oldest edge, if the loop has heard of any.
  public func nextEdge() -> EdgeRead {
    // While the loop does not listen, it has not heard of those that there are.
    guard mayHaveEdges || !isListening else { return .none }
    switch attempt({ (lines) throws(LineError) in try lines.nextEdge() }) {
    case nil: return .lost
    case .some(nil):
      mayHaveEdges = false
      return .none
    case .some(let edge?): return .edge(edge)
    }
  }

  /// Whether edges wake the loop.
  public func listen(toEdges isListening: Bool) {
    self.isListening = isListening
    guard let registration else { return }
    // Fails only for a descriptor that the loop does not have.
    try? loop.change(registration, to: isListening ? .readable : .none)
  }

  /// Turns `light` on or off.
  public func set(_ light: LightName, isLit: Bool) -> Bool {
    attempt { (lines) throws(LineError) in try lines.set(light, isLit: isLit) } != nil
  }

  /// Whether the open lines are still of use.
  public func checkLines() -> Bool {
    attempt { (lines) throws(LineError) in try lines.check() } != nil
  }

  /// Takes what has become of the lines.
  public func takeLinesNews() -> LinesNews {
    let hasChipChanged = chips?.takeChange() ?? false
    guard hasHungUp else { return hasChipChanged ? .chipChanged : .none }
    hasHungUp = false
    trouble = lines.vanished
    return .hungUp
  }

  /// Writes why the lines cannot be used, and what helps.
  public func writeLinesTrouble(to writer: inout ByteWriter) {
    guard let trouble else { return }
    writer.writePrefix(of: Array(trouble.description.utf8).span)
  }

  // MARK: Support

  /// What `body` gives; `nil`, with the trouble, if it fails.
  private func attempt<Result>(
    _ body: (any BoardLines<LineError>) throws(LineError) -> Result
  ) -> Result? {
    do throws(LineError) {
      return try body(lines)
    } catch {
      trouble = error
      return nil
    }
  }

  private func watch() {
    let number = dup(lines.descriptor)
    guard number >= 0 else { return }
    let descriptor = FileDescriptor(owning: number, name: "the buttons")
    // Without it there are lights and no buttons: only a kernel without memory refuses.
    registration = try? loop.add(descriptor, for: .readable, handler: self)
    self.descriptor = consume descriptor
  }
}
