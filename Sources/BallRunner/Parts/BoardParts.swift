import BluetoothHost
import EightBall

/// The motion sensor and the display of a board, on buses of one kind.
///
/// Either may be absent, and come and go: a part that fails costs that part alone.
package struct BoardParts<Bus: I2CBus> {
  /// How long a refusal is shown, in milliseconds: the light flashes for less than it takes to read.
  private static var refusalTime: UInt32 { 3_000 }

  private let name: DeviceName
  private var motionBus: Bus
  private var displayBus: Bus
  private var motion: MotionDriver<BoardSensor>?
  private var display: DisplayDriver<BoardDisplay>?
  private var shown = BallState(status: .off)
  /// When the refusal that is shown ends; `nil` without one.
  private var refusalEnd: Instant?
  /// The parts whose loss was reported.
  private var isMotionLost = false
  private var isDisplayLost = false

  /// The parts of `board`, on the buses that `bus` makes from their numbers.
  ///
  /// - Parameters:
  ///   - board: The board, with or without parts.
  ///   - name: The ball's name, which the display shows while no central is connected.
  ///   - now: The present time.
  ///   - bus: Makes a bus. Called twice, also for a part that the board lacks.
  package init(
    _ board: BoardDescription, name: DeviceName, at now: Instant, _ bus: (UInt8) -> Bus
  ) {
    self.name = name
    motionBus = bus(board.motion?.part.bus ?? 0)
    displayBus = bus(board.display?.bus ?? 0)
    if let sensor = board.motion {
      motion = MotionDriver(
        sensor: BoardSensor(sensor.part), threshold: sensor.threshold, at: now)
    }
    if let part = board.display { display = DisplayDriver(BoardDisplay(part)) }
  }

  /// When `takeShake` and `show` must be called next; `nil` if the parts wait for an edge or a new state.
  package var deadline: Instant? {
    Instant.earlier(refusalEnd, Instant.earlier(motion?.deadline, display?.deadline))
  }

  /// Whether the display's screen is incomplete: its drawing has waits of at most 50 ms.
  package func isDrawing(at now: Instant) -> Bool {
    display?.deadline.map { $0 <= now.advanced(by: 50) } ?? false
  }

  /// The line of the motion sensor has become active.
  package mutating func moved(at now: Instant) { motion?.interrupt(at: now) }

  /// Reads the motion sensor if that is due; `true` once for each shake, which also lights the display.
  package mutating func takeShake(at now: Instant) -> Bool {
    motion?.advance(to: now, on: &motionBus)
    guard motion?.takeShake() ?? false else { return false }
    display?.wake(at: now)
    return true
  }

  /// Shows this state, as much of it as one transfer can.
  package mutating func show(_ state: BallState, at now: Instant) {
    let isRefusalOver = refusalEnd.map { $0 <= now } ?? false
    if isRefusalOver || state.isAnswerNew { refusalEnd = nil }
    if state != shown || isRefusalOver { change(to: state, at: now) }
    display?.advance(to: now, on: &displayBus)
  }

  @inline(never)
  private mutating func change(to state: BallState, at now: Instant) {
    if state.isRefusing, !shown.isRefusing, !state.isAnswerNew {
      refusalEnd = now.advanced(by: Self.refusalTime)
    }
    // A sensor that lost its supply while it lay still is found now.
    if state.status != shown.status { motion?.check(at: now, on: &motionBus) }
    shown = state
    var state = state
    state.isRefusing = refusalEnd != nil
    let screen = BallScreen(state, name: name)
    display?.show(screen, at: now)
    // Also by the answer that it shows already.
    if state.isAnswerNew { display?.wake(at: now) }
  }

  /// Takes a loss, or a return after a loss; `nil` without one.
  package mutating func takeChange() -> PartChange? {
    if let event = motion?.takeEvent(), Self.isWorthReporting(event, &isMotionLost) {
      return PartChange(part: .motion, event: event)
    }
    guard let event = display?.takeEvent(), Self.isWorthReporting(event, &isDisplayLost) else {
      return nil
    }
    return PartChange(part: .display, event: event)
  }

  /// A part that works from the start is as expected.
  private static func isWorthReporting(_ event: PartEvent, _ isLost: inout Bool) -> Bool {
    let wasLost = isLost
    isLost = event != .found
    return isLost || wasLost
  }
}
