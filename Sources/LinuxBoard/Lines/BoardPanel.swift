import BallRunner
import BluetoothHost
import Boards
import EightBall
import Glibc
import LinuxSystem

/// The lines of a board as a ball's buttons and lights. Edges and hang-ups wake a loop.
public final class BoardPanel: PanelPort, EventHandler {
  /// The lines.
  private let lines: any BoardLines<LineError>
  private let board: BoardDescription
  private let loop: EventLoop
  private let chips: DirectoryWatch?
  /// A duplicate, so that the loop can remove it after the lines have closed theirs.
  private var descriptor: FileDescriptor?
  private var registration: EventLoop.Registration?
  private var mayHaveEdges = false
  private var isListening = true
  private var hasHungUp = false
  /// Why the lines cannot be used.
  private var trouble: LineError?
  /// The buttons that a program holds down. Their contacts are ignored meanwhile.
  private var held: Set<ButtonName> = []
  /// The pending edges that programs caused.
  private var programEdges: [ButtonEdge] = []

  /// The lines of `board`, which are not open.
  ///
  /// - Parameter chips: Reports that a chip was added or removed. Without it, a removed chip is
  ///   noticed by the lines' descriptor if the kernel is new enough to hang it up, or else at the
  ///   next change of a light; an added one is noticed when the lines are requested again.
  public init(
    _ board: BoardDescription, lines: any BoardLines<LineError>, loop: EventLoop,
    chips: DirectoryWatch? = nil
  ) {
    self.board = board
    hasPanel = board.hasLines
    self.lines = lines
    self.loop = loop
    self.chips = chips
  }

  /// When `advance(to:)` must be called next; `nil` to wait for a descriptor.
  public var deadline: Instant? { lines.deadline }

  /// Sets the time, for lines without a clock.
  public func advance(to now: Instant) { lines.advance(to: now) }

  /// Releases the lines, and stops watching the chips.
  public func close() {
    closeLines()
    chips?.stop()
  }

  /// The lines' descriptor is ready.
  public func handle(_ readiness: Readiness, token: Int) {
    if readiness.isReadable { mayHaveEdges = true }
    if readiness.isHangUp { hasHungUp = true }
  }

  // MARK: PanelPort

  /// Whether the board has buttons or lights.
  public let hasPanel: Bool

  /// Opens the lines: all, or none.
  public func openLines() -> Bool {
    guard attempt({ (lines) throws(LineError) in try lines.open() }) != nil else { return false }
    watch()
    return true
  }

  /// Releases the lines.
  public func closeLines() {
    if let registration { loop.remove(registration) }
    registration = nil
    descriptor = nil
    lines.close()
    mayHaveEdges = false
    isListening = true
    hasHungUp = false
    held = []
    programEdges = []
  }

  /// The debounce time of the board. The kernel does not debounce: it would delay a press by
  /// that time.
  public func debounce(of button: ButtonName) -> UInt32 {
    guard let line = board.line(button) else { return 0 }
    return UInt32(clamping: line.debounceMilliseconds)
  }

  /// Reads the contact of `button`.
  public func contact(of button: ButtonName) -> ContactRead {
    let contact = wiredContact(of: button)
    return contact == .open && held.contains(button) ? .closed : contact
  }

  private func wiredContact(of button: ButtonName) -> ContactRead {
    switch attempt({ (lines) throws(LineError) in try lines.isClosed(button) }) {
    case nil: .lost
    case .some(nil): .none
    case .some(true): .closed
    case .some(false): .open
    }
  }

  /// Takes the oldest edge that the loop has reported.
  public func nextEdge() -> EdgeRead {
    if !programEdges.isEmpty { return .edge(programEdges.removeFirst()) }
    // While edges do not wake the loop, it does not report them.
    while mayHaveEdges || !isListening {
      switch attempt({ (lines) throws(LineError) in try lines.nextEdge() }) {
      case nil: return .lost
      case .some(nil):
        mayHaveEdges = false
        return .none
      case .some(let edge?): if !held.contains(edge.button) { return .edge(edge) }
      }
    }
    return .none
  }

  /// Presses or releases `button` for a program, as if its contact closed or opened.
  public func press(_ button: ButtonName, isDown: Bool) -> PressResult {
    guard registration != nil else { return .noLines }
    switch wiredContact(of: button) {
    case .none: return .noButton
    case .lost: return .noLines
    case .closed where isDown: return .isDown
    case .closed:
      // A person holds it now: it stays down.
      held.remove(button)
    case .open:
      if isDown { held.insert(button) } else { held.remove(button) }
      programEdges.append(
        ButtonEdge(button: button, isClosed: isDown, time: MonotonicClock.now))
    }
    return .done
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

  /// Whether the open lines are still usable.
  public func checkLines() -> Bool {
    attempt { (lines) throws(LineError) in try lines.check() } != nil
  }

  /// Takes the change of the lines since the last call.
  public func takeLinesChange() -> LinesChange {
    let hasChipChanged = chips?.takeChange() ?? false
    guard hasHungUp else { return hasChipChanged ? .chipChanged : .none }
    hasHungUp = false
    trouble = lines.vanished
    return .hungUp
  }

  /// Writes why the lines cannot be used, and what to do.
  public func writeLinesTrouble(to writer: inout ByteWriter) {
    guard let trouble else { return }
    writer.writePrefix(of: Array(trouble.description.utf8).span)
  }

  // MARK: Support

  /// The result of `body`; `nil` if it fails, and `trouble` is set then.
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
    // Without it the buttons do not work. It fails only if the kernel is out of memory.
    registration = try? loop.add(descriptor, for: .readable, handler: self)
    self.descriptor = consume descriptor
  }
}
