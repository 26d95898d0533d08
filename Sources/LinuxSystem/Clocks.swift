import BluetoothHost
import Glibc

/// The clock for deadlines: it never goes back and is never set.
public enum MonotonicClock {
  /// Milliseconds since the machine started, without the time that it slept.
  public static var now: Instant {
    let time = read(CLOCK_MONOTONIC)
    return Instant(
      rawValue: UInt64(clamping: time.tv_sec) &* 1000
        &+ UInt64(clamping: time.tv_nsec) / 1_000_000)
  }
}

/// The wall clock, which may be set at any time: for time stamps, not for waiting.
public enum WallClock {
  /// Microseconds since the start of 1970, in UTC.
  public static var microseconds: Int64 {
    let time = read(CLOCK_REALTIME)
    return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
  }
}

private func read(_ clock: clockid_t) -> timespec {
  var time = timespec()
  // Fails only for an unknown clock; the kernel has these two.
  _ = unsafe clock_gettime(clock, &time)
  return time
}
