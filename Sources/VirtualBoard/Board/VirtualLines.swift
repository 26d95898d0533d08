import BallRunner
import BluetoothHost
import EightBall

/// A board's lines on a virtual chip, as a ball's buttons and lights, with functions to press its
/// buttons.
public final class VirtualLines: FrontPanelPort {
  /// The result of a press.
  public enum PressOutcome: Equatable, Sendable {
    /// The button is down.
    case done
    /// The button was already down. The time of its release does not change.
    case alreadyDown
    /// The board has no such button.
    case noButton
  }

  /// The chip, whose inputs tests can drive, and which they can remove.
  public let chip: VirtualChip
  /// Called when a button goes down or up, or a light on or off.
  public var onChange: (() -> Void)?
  /// Whether the board has lines or a display.
  public let hasPanel: Bool

  private let board: BoardDescription
  private let wanted: [(part: BoardPart, line: LineDescription)]
  private var request: LineRequest?
  /// Why the lines cannot be used.
  private var lastError: GPIOError?
  /// When each button that was pressed for a duration is released.
  private var shakeEnd: Instant?
  private var clearEnd: Instant?
  /// The buttons that are held down until `releaseHeld`.
  private var held: Set<ButtonName> = []

  /// The lines of `board`, on a chip with these names and offsets.
  public init(_ board: BoardDescription) {
    self.board = board
    hasPanel = board.hasLines || board.display != nil
    wanted = BoardPart.allCases.compactMap { part in board[part].map { (part, $0) } }
    let count = (wanted.map { $0.line.offset }.max() ?? -1) + 1
    var names = [String?](repeating: nil, count: max(count, 0))
    for line in wanted where names.indices.contains(line.line.offset) {
      names[line.line.offset] = line.line.name.description
    }
    let label = board.chip ?? BoardDescription.virtualChip
    chip = VirtualChip(label: label.description, lineNames: names)
    for button in [ButtonName.shake, .clear] { drive(button, isDown: false) }
  }

  // MARK: FrontPanelPort

  /// Requests the lines: all, or none.
  public func openLines() -> Bool {
    closeLines()
    let settings = wanted.map { $0.line.virtualSettings(isOutput: $0.part.isLight) }
    guard !settings.isEmpty else { return true }
    return attempt { () throws(GPIOError) in
      request = try chip.request(settings, consumer: "eightball")
    } != nil
  }

  /// Releases the lines.
  public func closeLines() {
    request?.release()
    request = nil
  }

  /// The debounce time of the board: the contacts bounce.
  public func debounce(of button: ButtonName) -> UInt32 {
    UInt32(clamping: board[BoardPart(button)]?.debounceMilliseconds ?? 0)
  }

  /// Reads the contact of `button`.
  public func contact(of button: ButtonName) -> ContactRead {
    guard let offset = board[BoardPart(button)]?.offset else { return .none }
    guard let request else { return .lost }
    let isClosed = attempt { () throws(GPIOError) in try request.isActive(offset) }
    return switch isClosed {
    case nil: .lost
    case true?: .closed
    case false?: .open
    }
  }

  /// Takes the oldest edge of a button.
  public func nextEdge() -> EdgeRead {
    while true {
      let event = attempt { () throws(GPIOError) in try request?.nextEvent() }
      switch event {
      case nil: return .lost
      case .some(nil): return .none
      case .some(let event?):
        guard let button = button(at: event.offset) else { continue }
        return .edge(
          ButtonEdge(
            button: button, isClosed: event.isActive,
            time: Instant(rawValue: event.time / 1_000_000)))
      }
    }
  }

  /// Does nothing: `nextEdge` is called in each turn.
  public func listen(toEdges isListening: Bool) {}

  /// Turns a light on or off; does nothing if the board lacks it.
  public func set(_ light: LightName, isLit: Bool) -> Bool {
    guard let offset = board[BoardPart(light)]?.offset else { return true }
    guard
      attempt({ () throws(GPIOError) in try request?.set(offset, isActive: isLit) }) != nil
    else { return false }
    onChange?()
    return true
  }

  /// Whether the open lines still work.
  public func checkLines() -> Bool {
    guard let request, let offset = request.offsets.first else { return true }
    return attempt { () throws(GPIOError) in try request.isActive(offset) } != nil
  }

  /// `none`: the next edge or light shows that the chip is gone.
  public func takeLinesChange() -> LinesChange { .none }

  /// Writes why the lines cannot be used, and what to do.
  public func writeLinesError(to writer: inout ByteWriter) {
    guard let lastError else { return }
    writer.writePrefix(of: Array(lastError.sentence(about: chip.label).utf8).span)
  }

  /// The result of `body`; `nil` if it fails, and `lastError` is set then.
  private func attempt<Result>(_ body: () throws(GPIOError) -> Result) -> Result? {
    do throws(GPIOError) {
      return try body()
    } catch {
      lastError = error
      return nil
    }
  }

  // MARK: Time

  /// When `advance(to:)` must be called; `nil` if it need not be.
  public var deadline: Instant? {
    let bounce = chip.deadline.map { Instant(rawValue: $0 / 1_000_000 + 1) }
    return Instant.earlier(bounce, Instant.earlier(shakeEnd, clearEnd))
  }

  /// Sets the time: releases buttons, and lets contacts bounce.
  public func advance(to now: Instant) {
    chip.advance(to: now.rawValue &* 1_000_000)
    if let end = shakeEnd, end <= now { release(.shake) }
    if let end = clearEnd, end <= now { release(.clear) }
  }

  // MARK: For the person with the board

  /// Presses a button for `duration` milliseconds, unless it is down.
  @discardableResult
  public func press(_ button: ButtonName, for duration: UInt32, at now: Instant) -> PressOutcome {
    let press = hold(button, at: now)
    guard press == .done else { return press }
    held.remove(button)
    let end = now.advanced(by: duration)
    switch button {
    case .shake: shakeEnd = end
    case .clear: clearEnd = end
    }
    return .done
  }

  /// Presses a button, and holds it down until `releaseHeld`, unless it is down.
  public func hold(_ button: ButtonName, at now: Instant) -> PressOutcome {
    guard board[BoardPart(button)] != nil else { return .noButton }
    advance(to: now)
    guard !isDown(button) else { return .alreadyDown }
    held.insert(button)
    drive(button, isDown: true)
    onChange?()
    return .done
  }

  /// Releases a button that is held down.
  public func releaseHeld(_ button: ButtonName) {
    guard held.remove(button) != nil else { return }
    release(button)
  }

  /// Presses `button` for a program, which holds it down until it releases it.
  public func press(_ button: ButtonName, isDown: Bool, at now: Instant) -> PressResult {
    guard isDown else {
      releaseHeld(button)
      return .done
    }
    return switch hold(button, at: now) {
    case .done: .done
    case .alreadyDown: .isDown
    case .noButton: .noButton
    }
  }

  /// Whether the board has this light.
  public func has(_ light: LightName) -> Bool { board[BoardPart(light)] != nil }

  /// Whether the board has this button.
  public func has(_ button: ButtonName) -> Bool { board[BoardPart(button)] != nil }

  /// Whether a button is held down.
  public func isDown(_ button: ButtonName) -> Bool {
    held.contains(button) || (button == .shake ? shakeEnd : clearEnd) != nil
  }

  /// Whether a light is on, read from its line; `nil` if the board lacks it.
  public func isLit(_ light: LightName) -> Bool? {
    guard let line = board[BoardPart(light)] else { return nil }
    return chip.isHigh(line.offset).map { $0 != line.activeLow }
  }

  private func release(_ button: ButtonName) {
    switch button {
    case .shake: shakeEnd = nil
    case .clear: clearEnd = nil
    }
    drive(button, isDown: false)
    onChange?()
  }

  /// A pressed button connects its line to the active level. Without a bias in the chip, a resistor
  /// on the board gives the inactive level.
  private func drive(_ button: ButtonName, isDown: Bool) {
    guard let line = board[BoardPart(button)] else { return }
    let isHigh = isDown != line.activeLow
    if !isDown, line.bias != .none { return chip.drive(line.offset, .nothing) }
    chip.drive(line.offset, isHigh ? .high : .low)
  }

  private func button(at offset: Int) -> ButtonName? {
    [ButtonName.shake, .clear].first { board[BoardPart($0)]?.offset == offset }
  }
}

extension GPIOError {
  /// Why the lines of a board on the chip `label` cannot be used, and what happens then, without the last full stop.
  fileprivate func sentence(about label: String) -> String {
    switch self {
    case .noSuchLine: "the GPIO chip “\(label)” lacks a line of the board"
    case .busy: "a line of “\(label)” is in use by another program"
    case .removed: "the GPIO chip “\(label)” has gone. It is used again when it comes back"
    case .notAnOutput: "a light's line of “\(label)” is an input"
    case .tooManyFiles: "a line of “\(label)” cannot be used: too many files are open"
    }
  }
}

extension LineDescription {
  fileprivate func virtualSettings(isOutput: Bool) -> LineSettings {
    let bias: LineSettings.Bias =
      switch self.bias {
      case .none: .none
      case .pullUp: .pullUp
      case .pullDown: .pullDown
      }
    return LineSettings(
      offset: offset, direction: isOutput ? .output(isActive: false) : .input,
      isActiveLow: activeLow, bias: bias)
  }
}
