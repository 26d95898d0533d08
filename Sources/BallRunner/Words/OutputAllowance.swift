import BluetoothHost

/// How much one source may write: a burst at first, and then so much in each second.
///
/// It does no I/O and has no clock: the time is given.
struct OutputAllowance {
  /// The most lines in a row.
  ///
  /// They are 248 questions with their answers, and the beginning and end of a link and of a
  /// subscription. No person asks so often in a few seconds, and no test of an app.
  static var burst: Int { 500 }

  /// How many lines each second gives back.
  ///
  /// Four centrals that never stop make 4 × (500 + 30 × 20) = 4,400 lines in the first 30 s. The
  /// journal of systemd drops what is more than 10,000 (`RateLimitBurst` in journald.conf(5)).
  static var perSecond: Int { 20 }

  /// The length of a second, in milliseconds.
  private static var second: UInt32 { 1_000 }

  /// The length of a day, in milliseconds.
  private static var day: UInt64 { 86_400_000 }

  private var spent = 0
  /// When the present second began; has no meaning while nothing is spent.
  private var beginning = Instant(rawValue: 0)

  /// Whether nothing is left before the next second.
  var isSpent: Bool { spent >= Self.burst }

  /// When the next second begins.
  var nextSecond: Instant { beginning.advanced(by: Self.second) }

  /// Gives back what the seconds up to `now` give.
  @inline(never)
  mutating func advance(to now: Instant) {
    guard spent > 0, now >= nextSecond else { return }
    // After a day, all has been given back for long; so 32 bits hold what counts.
    let milliseconds = now.rawValue &- beginning.rawValue
    guard milliseconds < Self.day else { return spent = 0 }
    let elapsed = UInt32(truncatingIfNeeded: milliseconds)
    let seconds = elapsed / Self.second
    spent -= min(spent, min(Int(bitPattern: UInt(seconds)), Self.burst) &* Self.perSecond)
    beginning = beginning.advanced(by: seconds &* Self.second)
  }

  /// Spends one line, also beyond what is left.
  mutating func spend(at now: Instant) {
    advance(to: now)
    if spent == 0 { beginning = now }
    spent += 1
  }
}
