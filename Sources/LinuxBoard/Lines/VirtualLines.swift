import BallRunner
import BluetoothHost
import Boards
import EightBall
import VirtualBoard

/// A board's lines on a chip of software, with somebody to press its buttons.
public final class VirtualLines: BoardLines {
  /// What has become of a wish to press a button.
  public enum Press: Equatable, Sendable {
    /// It is down.
    case done
    /// It was down already, and stays so as long as it was to.
    case alreadyDown
    /// The board has no such button.
    case noButton
  }

  /// The chip, to be driven, looked at, taken away.
  public let chip: VirtualChip
  /// Called whenever a button goes down or up, or a light on or off.
  public var onChange: (() -> Void)?

  private let board: BoardDescription
  private let wanted: [WantedLine]
  private var request: LineRequest?
  /// When each button that is held down is let go.
  private var shakeEnd: Instant?
  private var clearEnd: Instant?

  /// The lines of `board`, on a chip that has them by their names at their offsets.
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

  /// Asks for the lines: all, or none.
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

  /// Gives the lines back.
  public func close() {
    request?.release()
    request = nil
  }

  /// Readable while there are edges; -1 unless the lines are open.
  public var descriptor: Int32 { request?.descriptor ?? -1 }

  /// Takes the next edge of a button; `nil` if there is none now.
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

  /// Whether a button is down just now; `nil` if the board has none.
  public func isClosed(_ button: ButtonName) throws(LineError) -> Bool? {
    guard let offset = board.line(button)?.offset else { return nil }
    do throws(GPIOError) {
      return try request?.isActive(offset)
    } catch {
      throw self.error(error)
    }
  }

  /// Turns a light on or off; nothing happens if the board has none.
  public func set(_ light: LightName, isLit: Bool) throws(LineError) {
    guard let offset = board.line(light)?.offset else { return }
    do throws(GPIOError) {
      try request?.set(offset, isActive: isLit)
    } catch {
      throw self.error(error)
    }
    onChange?()
  }

  /// Looks whether the lines are still of use.
  public func check() throws(LineError) {
    guard let request, let offset = request.offsets.first else { return }
    do throws(GPIOError) {
      _ = try request.isActive(offset)
    } catch {
      throw self.error(error)
    }
  }

  /// What is wrong when the chip hangs up without an error.
  public var vanished: LineError { LineError(.vanished, chip: chip.label) }

  /// When time has to be let pass next; `nil` if it need not be.
  public var deadline: Instant? {
    let bounce = chip.deadline.map { Instant(rawValue: $0 / 1_000_000 + 1) }
    return Instant.earlier(bounce, Instant.earlier(shakeEnd, clearEnd))
  }

  /// Lets time pass.
  public func advance(to now: Instant) {
    chip.advance(to: now.rawValue &* 1_000_000)
    if let end = shakeEnd, end <= now { release(.shake) }
    if let end = clearEnd, end <= now { release(.clear) }
  }

  // MARK: For whoever holds the board

  /// Presses a button, and lets it go after so many milliseconds, unless it is down.
  @discardableResult
  public func press(_ button: ButtonName, for duration: UInt32, at now: Instant) -> Press {
    guard board.line(button) != nil else { return .noButton }
    advance(to: now)
    guard !isDown(button) else { return .alreadyDown }
    let end = now.advanced(by: duration)
    switch button {
    case .shake: shakeEnd = end
    case .clear: clearEnd = end
    }
    drive(button, isDown: true)
    onChange?()
    return .done
  }

  /// Whether the board has a button.
  public func has(_ button: ButtonName) -> Bool { board.line(button) != nil }

  /// Whether a button is held down.
  public func isDown(_ button: ButtonName) -> Bool {
    (button == .shake ? shakeEnd : clearEnd) != nil
  }

  /// Whether a light shines, as its wire says; `nil` if the board has none.
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

  /// A button connects its line to what makes it active; without a resistor in the chip, one on
  /// the board does the rest.
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
