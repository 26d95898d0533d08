import BallRunner
import BluetoothHost
import Boards
import EightBall
import VirtualBoard

/// A board's lines on a virtual chip, with functions to press its buttons.
public final class VirtualLines: BoardLines {
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

  private let board: BoardDescription
  private let wanted: [WantedLine]
  private var request: LineRequest?
  /// When each button that was pressed for a duration is released.
  private var shakeEnd: Instant?
  private var clearEnd: Instant?
  /// The buttons that are held down until `releaseHeld`.
  private var held: Set<ButtonName> = []

  /// The lines of `board`, on a chip with these names and offsets.
  public init(_ board: BoardDescription) {
    self.board = board
    wanted = WantedLine.all(of: board)
    let count = (wanted.map { $0.line.offset }.max() ?? -1) + 1
    var names = [String?](repeating: nil, count: max(count, 0))
    for line in wanted where names.indices.contains(line.line.offset) {
      names[line.line.offset] = line.line.name.description
    }
    let label = board.chip ?? BoardDescription.virtualChip
    chip = VirtualChip(label: label.description, lineNames: names)
    for case .button(let button) in wanted.map(\.purpose) { drive(button, isDown: false) }
  }

  // MARK: For the ball

  /// Requests the lines: all, or none.
  public func open() throws(LineError) {
    close()
    let settings = wanted.map { $0.virtualSettings }
    guard !settings.isEmpty else { return }
    do throws(GPIOError) {
      request = try chip.request(settings, consumer: "eightball")
    } catch {
      throw self.error(error)
    }
  }

  /// Releases the lines.
  public func close() {
    request?.release()
    request = nil
  }

  /// Readable while edges are pending; -1 unless the lines are open.
  public var descriptor: Int32 { request?.descriptor ?? -1 }

  /// Takes the next edge of a button; `nil` if none is pending.
  public func nextEdge() throws(LineError) -> ButtonEdge? {
    do throws(GPIOError) {
      while let event = try request?.nextEvent() {
        guard let button = button(at: event.offset) else { continue }
        return ButtonEdge(
          button: button, isClosed: event.isActive,
          time: Instant(rawValue: event.time / 1_000_000))
      }
      return nil
    } catch {
      throw self.error(error)
    }
  }

  /// Whether a button is down now; `nil` if the board lacks it.
  public func isClosed(_ button: ButtonName) throws(LineError) -> Bool? {
    guard let offset = board.line(button)?.offset else { return nil }
    do throws(GPIOError) {
      return try request?.isActive(offset)
    } catch {
      throw self.error(error)
    }
  }

  /// Turns a light on or off; does nothing if the board lacks it.
  public func set(_ light: LightName, isLit: Bool) throws(LineError) {
    guard let offset = board.line(light)?.offset else { return }
    do throws(GPIOError) {
      try request?.set(offset, isActive: isLit)
    } catch {
      throw self.error(error)
    }
    onChange?()
  }

  /// Throws if the lines are no longer usable.
  public func check() throws(LineError) {
    guard let request, let offset = request.offsets.first else { return }
    do throws(GPIOError) {
      _ = try request.isActive(offset)
    } catch {
      throw self.error(error)
    }
  }

  /// The error to report if the chip hangs up without one.
  public var vanished: LineError { LineError(.vanished, chip: chip.label) }

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
    guard board.line(button) != nil else { return .noButton }
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

  /// Whether the board has this button.
  public func has(_ button: ButtonName) -> Bool { board.line(button) != nil }

  /// Whether a button is held down.
  public func isDown(_ button: ButtonName) -> Bool {
    held.contains(button) || (button == .shake ? shakeEnd : clearEnd) != nil
  }

  /// Whether a light is on, read from its line; `nil` if the board lacks it.
  public func isLit(_ light: LightName) -> Bool? {
    guard let line = board.line(light) else { return nil }
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
    guard let line = board.line(button) else { return }
    let isHigh = isDown != line.activeLow
    if !isDown, line.bias != .none { return chip.drive(line.offset, .nothing) }
    chip.drive(line.offset, isHigh ? .high : .low)
  }

  private func button(at offset: Int) -> ButtonName? {
    if board.shake?.offset == offset { return .shake }
    return board.clear?.offset == offset ? .clear : nil
  }

  private func error(_ error: GPIOError) -> LineError {
    let kind: LineError.Kind =
      switch error {
      case .noSuchLine: .noLine
      case .busy: .busy
      case .removed: .vanished
      case .notAnOutput, .tooManyFiles: .other(.init(rawValue: error.code))
      }
    return LineError(kind, chip: chip.label)
  }
}

extension WantedLine {
  fileprivate var virtualSettings: LineSettings {
    let bias: LineSettings.Bias =
      switch line.bias {
      case .none: .none
      case .pullUp: .pullUp
      case .pullDown: .pullDown
      }
    return LineSettings(
      offset: line.offset, direction: isOutput ? .output(isActive: false) : .input,
      isActiveLow: line.activeLow, bias: bias)
  }
}
