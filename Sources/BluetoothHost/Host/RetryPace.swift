/// How long to wait before a failed action is repeated.
///
/// After a period without failures, the first retry is immediate. Further retries wait 250 ms, then
/// twice as long each time, up to 5 s.
public struct RetryPace {
  /// How long without failures until the next one counts as the first, in milliseconds.
  static var calm: UInt32 { 10_000 }

  private var failures: UInt32 = 0
  private var calmTime: Instant?

  /// Records a failure at `now`. Returns when to try again.
  mutating func retryTime(failingAt now: Instant) -> Instant {
    if let calmTime, calmTime <= now { failures = 0 }
    let time = failures == 0 ? now : now.advanced(by: Self.delay(after: failures - 1))
    failures += 1
    calmTime = time.advanced(by: Self.calm)
    return time
  }

  /// The delay after this many failures in a row, in milliseconds: 250 after none, 5,000 after five
  /// and more.
  public static func delay(after failures: UInt32) -> UInt32 {
    min(250 &<< min(failures, 5), 5_000)
  }
}
