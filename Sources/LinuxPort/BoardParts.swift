import BallRunner
import BluetoothHost
import EightBall

/// The motion sensor and the display of a board, on buses of one kind.
///
/// Either may be absent, and come and go: a part that fails costs that part alone.
package struct BoardParts<Bus: I2CBus> {
  /// How long a refusal is shown, in milliseconds.
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
  ///   - name: The ball's name, which the display shows while nobody is connected.
  ///   - now: The present time.
  ///   - bus: Makes a bus. Called twice, also for a part that the board lacks.
  package init(
    _ board: BoardDescription, name: DeviceName, at now: Instant, _ bus: (UInt8) -> Bus
  ) {
    self.name = name
    motionBus = bus(board.motion?.bus ?? 0)
    displayBus = bus(board.display?.bus ?? 0)
    if let part = board.motion {
      motion = MotionDriver(sensor: BoardSensor(part), threshold: part.threshold, at: now)
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
    if state != shown || refusalEnd.map({ $0 <= now }) ?? false { change(to: state, at: now) }
    display?.advance(to: now, on: &displayBus)
  }

  @inline(never)
  private mutating func change(to state: BallState, at now: Instant) {
    if state.isRefusing, !shown.isRefusing { refusalEnd = now.advanced(by: Self.refusalTime) }
    if state.isAnswerNew || refusalEnd.map({ $0 <= now }) ?? false { refusalEnd = nil }
    // A sensor that lost its supply while it lay still is found now.
    if state.status != shown.status { motion?.check(at: now, on: &motionBus) }
    shown = state
    let screen = self.screen
    display?.show(screen, at: now)
    // Also the answer that it shows already.
    if state.isAnswerNew { display?.wake(at: now) }
  }

  /// What the display shows: the most urgent first.
  private var screen: BallScreen {
    switch shown.status {
    case .fault: return .fault
    case _ where shown.isPairingOpen: return .pairing
    case _ where refusalEnd != nil: return .refusal
    case .advertising, .connected:
      if let answer = shown.answer { return .answer(answer) }
    case .starting, .off: break
    }
    return BallScreen(shown.status, name: name)
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

/// The motion sensor of a board: one of those that there are drivers for.
package enum BoardSensor: MotionSensor {
  case lis3dh(LIS3DH)
  case mpu6050(MPU6050)

  /// The sensor of this description.
  package init(_ part: MotionDescription) {
    switch part.part {
    case .lis3dh: self = .lis3dh(LIS3DH(address: part.address))
    case .mpu6050: self = .mpu6050(MPU6050(address: part.address))
    }
  }

  package func start<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus, threshold: UInt16
  ) throws(PartError) {
    switch self {
    case .lis3dh(let sensor): try sensor.start(on: &bus, threshold: threshold)
    case .mpu6050(let sensor): try sensor.start(on: &bus, threshold: threshold)
    }
  }

  package func sample<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus
  ) throws(PartError) -> MotionSample {
    switch self {
    case .lis3dh(let sensor): try sensor.sample(on: &bus)
    case .mpu6050(let sensor): try sensor.sample(on: &bus)
    }
  }

  package func arm<Bus: I2CBus & ~Copyable>(on bus: inout Bus) throws(PartError) -> Bool {
    switch self {
    case .lis3dh(let sensor): try sensor.arm(on: &bus)
    case .mpu6050(let sensor): try sensor.arm(on: &bus)
    }
  }
}

/// The display of a board: one of those that there are drivers for.
package enum BoardDisplay: DisplayPanel {
  case ssd1306(SSD1306)
  case hd44780(HD44780)

  /// The display of this description.
  package init(_ part: DisplayDescription) {
    switch part.part {
    case .ssd1306: self = .ssd1306(SSD1306(address: part.address))
    case .hd44780: self = .hd44780(HD44780(address: part.address))
    }
  }

  package var address: UInt8 {
    switch self {
    case .ssd1306(let panel): panel.address
    case .hd44780(let panel): panel.address
    }
  }

  package mutating func reset() {
    switch self {
    case .ssd1306(var panel):
      panel.reset()
      self = .ssd1306(panel)
    case .hd44780(var panel):
      panel.reset()
      self = .hd44780(panel)
    }
  }

  package mutating func writeNext(
    towards text: ScreenText, _ brightness: Brightness, to writer: inout ByteWriter
  ) -> UInt32? {
    switch self {
    case .ssd1306(var panel):
      defer { self = .ssd1306(panel) }
      return panel.writeNext(towards: text, brightness, to: &writer)
    case .hd44780(var panel):
      defer { self = .hd44780(panel) }
      return panel.writeNext(towards: text, brightness, to: &writer)
    }
  }
}
