/// How long to wait before something that failed is tried again.
///
/// The first failure in a while is answered at once. Failures that follow each other are answered
/// after 250 ms, then after twice as long each time, up to 5 s.
public struct RetryPace {
  /// How long nothing may fail before the next failure counts as the first, in milliseconds.
  static var calm: UInt32 { 10_000 }

  private var failures: UInt32 = 0
  private var calmTime: Instant?

  /// Something has failed at `now`. Returns when to try again.
  mutating func retryTime(failingAt now: Instant) -> Instant {
    if let calmTime, calmTime <= now { failures = 0 }
    let time = failures == 0 ? now : now.advanced(by: Self.delay(after: failures - 1))
    failures += 1
    calmTime = time.advanced(by: Self.calm)
    return time
  }

  /// How long to wait after this many failures in a row, in milliseconds: 250 after none, 5,000
  /// after five and more.
  public static func delay(after failures: UInt32) -> UInt32 {
    min(250 &<< min(failures, 5), 5_000)
  }
}
