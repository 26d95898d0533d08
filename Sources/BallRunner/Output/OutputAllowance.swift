import BluetoothHost

/// How much one source may write: a burst, and then a number of lines each second.
///
/// It does no I/O and has no clock: the caller gives the time.
public struct OutputAllowance {
  /// The most lines in a row.
  ///
  /// Enough for 248 questions with their answers, and the beginning and end of a link and of a
  /// subscription. No person asks so often in a few seconds, and no test of an app does.
  static var burst: Int { 500 }

  /// How many lines each second gives back.
  ///
  /// Four centrals that never stop make 4 × (500 + 30 × 20) = 4,400 lines in the first 30 s. The
  /// systemd journal drops lines above 10,000 (`RateLimitBurst` in journald.conf(5)).
  static var perSecond: Int { 20 }

  /// The length of a second, in milliseconds.
  private static var second: UInt32 { 1_000 }

  /// The length of a day, in milliseconds.
  private static var day: UInt64 { 86_400_000 }

  private var spent = 0
  /// When the present second began; meaningless while nothing is spent.
  private var beginning = Instant(rawValue: 0)

  /// A full allowance.
  public init() {}

  /// Whether nothing is left before the next second.
  public var isSpent: Bool { spent >= Self.burst }

  /// When the next second begins.
  public var nextSecond: Instant { beginning.advanced(by: Self.second) }

  /// Gives back the lines for the seconds up to `now`.
  @inline(never)
  public mutating func advance(to now: Instant) {
    guard spent > 0, now >= nextSecond else { return }
    // A day gives everything back, so 32 bits are enough.
    let milliseconds = now.rawValue &- beginning.rawValue
    guard milliseconds < Self.day else { return spent = 0 }
    let elapsed = UInt32(truncatingIfNeeded: milliseconds)
    let seconds = elapsed / Self.second
    spent -= min(spent, min(Int(bitPattern: UInt(seconds)), Self.burst) &* Self.perSecond)
    beginning = beginning.advanced(by: seconds &* Self.second)
  }

  /// Spends one line, even if nothing is left.
  public mutating func spend(at now: Instant) {
    advance(to: now)
    if spent == 0 { beginning = now }
    spent += 1
  }
}
