import BluetoothHost

/// The clock for deadlines: it never goes back and is never set.
public enum MonotonicClock {
  /// Milliseconds since the machine started, without the time that it slept.
  public static var now: Instant { Instant(rawValue: clinux_now()) }
}

/// The wall clock, which may be set at any time: for time stamps, not for waiting.
public enum WallClock {
  /// Microseconds since the start of 1970, in UTC.
  public static var microseconds: Int64 {
    var fraction: UInt32 = 0
    let seconds = unsafe clinux_time(&fraction)
    return Int64(seconds) &* 1_000_000 &+ Int64(fraction)
  }
}
