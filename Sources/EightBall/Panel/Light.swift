import BluetoothHost

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
