import BluetoothHost

/// The clock for deadlines: it never goes back and is never set.
public enum MonotonicClock {
  /// Milliseconds since the machine started, without the time that it slept.
  public static var now: Instant { Instant(rawValue: clinux_now()) }
}
