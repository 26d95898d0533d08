import BluetoothHost

/// The ball's lights.
public enum LightName: UInt8, Equatable, Sendable {
  /// What the ball is doing.
  case status
  /// An answer has been given.
  case answer
}

/// One light, which plays a pattern, and now and then another on top of it.
struct Light {
  private var background = LightPattern.off
  /// What is played once, before the background goes on.
  private var foreground: LightPattern?
  private var step = 0
  /// When the step ends; `nil` in a pattern that rests.
  private(set) var deadline: Instant?
  /// Whether it is on.
  private(set) var isLit = false

  init() {}

  /// Plays `pattern` from now on; nothing changes if it plays that already.
  mutating func show(_ pattern: LightPattern, at now: Instant) {
    guard pattern != background else { return }
    background = pattern
    if foreground == nil { begin(pattern, at: now) }
  }

  /// Plays `pattern` once, from its start, and then goes on with what it showed.
  mutating func flash(_ pattern: LightPattern, at now: Instant) {
    foreground = pattern
    begin(pattern, at: now)
  }

  /// The time is `now`.
  @inline(__always)
  mutating func advance(to now: Instant) {
    if let end = deadline, end <= now { endSteps(by: now) }
  }

  @inline(never)
  private mutating func endSteps(by now: Instant) {
    // Each turn ends a step, so a long sleep is caught up with in as many turns as it had steps,
    // or at once where the pattern has gone round.
    while let end = deadline, end <= now {
      let pattern = foreground ?? background
      step += 1
      if pattern.duration(ofStep: step) > 0 {
        enter(pattern, at: end)
      } else if pattern.repeats {
        // Whoever slept for minutes need not live through every blink.
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
