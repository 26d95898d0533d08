import BluetoothHost

/// Closes when a button chatters, so that its edges do not wake the loop for a while.
///
/// A press with all its bounces is a few edges. A broken contact or a loose wire can make thousands
/// a second, and each would wake the loop.
struct EdgeGate {
  /// The edges that may come in one period: far more than a press bounces.
  static var limit: Int { 64 }
  /// The length of a period, and of the rest after too many edges, in milliseconds.
  static var period: UInt32 { 100 }

  private var periodEnd = Instant(rawValue: 0)
  private var count = 0
  /// When the gate opens again; `nil` while it is open.
  private(set) var opening: Instant?

  /// Counts an edge; closes the gate if there are too many.
  mutating func count(at now: Instant) {
    if periodEnd <= now {
      periodEnd = now.advanced(by: Self.period)
      count = 0
    }
    count += 1
    if count > Self.limit { opening = now.advanced(by: Self.period) }
  }

  /// Opens the gate.
  mutating func open() {
    opening = nil
    count = 0
  }
}
