/// Slows down a peer whose pairings fail: it has to wait after each failure, and twice as long
/// after the next one.
///
/// Core Specification, Vol 3, Part H, 2.3.6. The first wait is 1 s, the longest 64 s. After a
/// wait, each minute without a failure halves the next one. With more than `capacity` failing
/// peers, it forgets the one whose wait ends first.
public struct AttemptLimiter<let capacity: Int> {
  private struct Entry {
    var address = DeviceAddress.zero
    /// 0 for an unused entry.
    var failures: UInt32 = 0
    var waitEnd = Instant(rawValue: 0)
  }

  /// After how many failures the wait stops growing.
  private static var mostFailures: UInt32 { 7 }
  /// After how many milliseconds a failure is forgotten.
  private static var calm: UInt64 { 60_000 }

  private var entries = InlineArray<capacity, Entry>(repeating: Entry())

  /// Creates a limiter without failures.
  public init() {}

  /// How long a peer waits after this number of failures, in milliseconds: 1,000 after the first.
  public static func wait(after failures: UInt32) -> UInt32 {
    failures == 0 ? 0 : 1_000 &<< (min(failures, mostFailures) &- 1)
  }

  /// Whether the device with this address may try now.
  public func isAllowed(_ address: DeviceAddress, at now: Instant) -> Bool {
    guard let index = index(of: address) else { return true }
    return entries[index].waitEnd <= now
  }

  /// Records that a pairing with this device failed.
  public mutating func noteFailure(_ address: DeviceAddress, at now: Instant) {
    guard let index = index(of: address) ?? freeIndex() else { return }
    let forgotten = forgottenFailures(entries[index], at: now)
    let failures = min(entries[index].failures &- forgotten &+ 1, Self.mostFailures)
    entries[index] = Entry(
      address: address, failures: failures,
      waitEnd: now.advanced(by: Self.wait(after: failures)))
  }

  /// Records that a pairing with this device succeeded, and forgets its failures.
  public mutating func noteSuccess(_ address: DeviceAddress) {
    if let index = index(of: address) { entries[index] = Entry() }
  }

  private func forgottenFailures(_ entry: Entry, at now: Instant) -> UInt32 {
    guard entry.waitEnd < now else { return 0 }
    let minutes = (now.rawValue &- entry.waitEnd.rawValue) / Self.calm
    return min(entry.failures, UInt32(truncatingIfNeeded: min(minutes, 1_000)))
  }

  private func index(of address: DeviceAddress) -> Int? {
    for index in 0..<capacity
    where entries[index].failures > 0 && entries[index].address == address {
      return index
    }
    return nil
  }

  /// An unused entry, or the one whose wait ends first; `nil` with a capacity of 0.
  private func freeIndex() -> Int? {
    var found: Int?
    for index in 0..<capacity {
      guard entries[index].failures > 0 else { return index }
      guard let best = found, entries[best].waitEnd <= entries[index].waitEnd else {
        found = index
        continue
      }
    }
    return found
  }
}
