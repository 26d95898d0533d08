import Linux

/// The wall clock, which may be set at any time: for time stamps, not for waiting.
public enum WallClock {
  /// Microseconds since the start of 1970, in UTC.
  public static var microseconds: Int64 {
    var fraction: UInt32 = 0
    let seconds = unsafe clinux_time(&fraction)
    return Int64(seconds) &* 1_000_000 &+ Int64(fraction)
  }
}
