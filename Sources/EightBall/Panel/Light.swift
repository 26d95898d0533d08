import BluetoothHost

/// What the ball's lights show.
public struct BallLights: Equatable, Sendable {
  /// The status light.
  public enum Status: Equatable, Sendable {
    /// The radio is being set up.
    case starting
    /// No central is connected, and centrals can find the ball.
    case advertising
    /// At least one central is connected.
    case connected
    /// The radio has failed.
    case fault
    /// The radio works, and the ball neither advertises nor has a connection: it is shutting down.
    case off
  }

  /// The status light.
  public var status: Status
  /// The answer light: an answer to a subscribed central is on its way.
  public var isAnswering: Bool
}

/// How a light changes: on and off for a number of milliseconds each, repeatedly or once.
///
/// The steps begin with the light on; a steady light has no steps.
public struct LightPattern: Equatable, Sendable {
  /// The state at the end of the pattern, or of a pattern without steps.
  public let rest: Bool
  /// Whether it begins again after its last step.
  public let repeats: Bool
  /// The lengths of its steps in milliseconds, on first; 0 where there is none.
  private let first: UInt16
  private let second: UInt16
  private let third: UInt16
  private let fourth: UInt16

  private init(
    rest: Bool, repeats: Bool, _ first: UInt16 = 0, _ second: UInt16 = 0, _ third: UInt16 = 0,
    _ fourth: UInt16 = 0
  ) {
    self.rest = rest
    self.repeats = repeats
    self.first = first
    self.second = second
    self.third = third
    self.fourth = fourth
  }

  /// Dark.
  public static var off: LightPattern { LightPattern(rest: false, repeats: false) }
  /// Lit.
  public static var steady: LightPattern { LightPattern(rest: true, repeats: false) }
  /// Once in 2 s: centrals can find the ball.
  public static var slowBlink: LightPattern {
    LightPattern(rest: false, repeats: true, 1_000, 1_000)
  }
  /// Five times a second: a fault.
  public static var fastBlink: LightPattern { LightPattern(rest: false, repeats: true, 100, 100) }
  /// A short pulse, twice a second: centrals may pair.
  public static var pairing: LightPattern { LightPattern(rest: false, repeats: true, 100, 400) }
  /// Two flashes, then dark for a moment: not a question.
  public static var doubleFlash: LightPattern {
    LightPattern(rest: false, repeats: false, 100, 100, 100, 300)
  }
  /// One pulse: an answer.
  public static var pulse: LightPattern { LightPattern(rest: false, repeats: false, 400) }

  /// How long a step lasts, in milliseconds; 0 if there is no such step.
  func duration(ofStep step: Int) -> UInt32 {
    switch step {
    case 0: UInt32(first)
    case 1: UInt32(second)
    case 2: UInt32(third)
    case 3: UInt32(fourth)
    default: 0
    }
  }

  /// Whether the light is on in a step.
  func isLit(inStep step: Int) -> Bool { step % 2 == 0 }
}

/// The ball's lights.
public enum LightName: UInt8, Equatable, Sendable {
  /// What the ball is doing.
  case status
  /// An answer has been given.
  case answer
}

/// One light. It plays a background pattern, and at times another one over it.
struct Light {
  private var background = LightPattern.off
  /// A pattern that is played once, before the background continues.
  private var foreground: LightPattern?
  private var step = 0
  /// When the step ends; `nil` in a steady pattern.
  private(set) var deadline: Instant?
  /// Whether it is on.
  private(set) var isLit = false

  init() {}

  /// Whether it plays a pattern over its background.
  var isFlashing: Bool { foreground != nil }

  /// Plays `pattern` from now on; changes nothing if it already plays.
  mutating func show(_ pattern: LightPattern, at now: Instant) {
    guard pattern != background else { return }
    background = pattern
    if foreground == nil { begin(pattern, at: now) }
  }

  /// Plays `pattern` once from its start, then continues with the background.
  mutating func flash(_ pattern: LightPattern, at now: Instant) {
    foreground = pattern
    begin(pattern, at: now)
  }

  /// Advances the time.
  @inline(__always)
  mutating func advance(to now: Instant) {
    if let end = deadline, end <= now { endSteps(by: now) }
  }

  @inline(never)
  private mutating func endSteps(by now: Instant) {
    // Each iteration ends one step. At its end, a repeating pattern that is more than 10 s late
    // restarts at `now`, so the loop also ends soon after a long sleep.
    while let end = deadline, end <= now {
      let pattern = foreground ?? background
      step += 1
      if pattern.duration(ofStep: step) > 0 {
        enter(pattern, at: end)
      } else if pattern.repeats {
        begin(pattern, at: end.advanced(by: 10_000) < now ? now : end)
      } else {
        foreground = nil
        begin(background, at: now)
      }
    }
  }

  private mutating func begin(_ pattern: LightPattern, at now: Instant) {
    step = 0
    if pattern.duration(ofStep: 0) > 0 {
      enter(pattern, at: now)
    } else {
      deadline = nil
      isLit = pattern.rest
    }
  }

  private mutating func enter(_ pattern: LightPattern, at now: Instant) {
    isLit = pattern.isLit(inStep: step)
    deadline = now.advanced(by: pattern.duration(ofStep: step))
  }
}
