import BluetoothHost
import LinuxRadio

/// The turns of a radio's thread, which is on simulated time if its air is. The air then waits while
/// delegates are called, and what they ask of their managers is done when all have returned: the packets
/// are then the same in each run.
struct AirTurns {
  private let time: AirTime
  private let calls: DelegateCalls
  /// Whether calls may have been made on simulated time that have not returned.
  private var isSimulated = false
  private var isLeaving = false
  /// Whether delegates were being called when this turn began: what they ask for waits.
  private(set) var isHeld = false

  /// - Parameters:
  ///   - time: The time of the radio.
  ///   - calls: The calls of the device on it.
  init(_ time: AirTime, _ calls: DelegateCalls) {
    self.time = time
    self.calls = calls
  }

  /// A turn begins, at the result.
  mutating func begin() -> Instant {
    let now = time.now
    time.beginTurn(at: now)
    let airTime = time.airTime
    if airTime != nil || isSimulated {
      calls.follow(airTime)
      isHeld = mustWait
      isSimulated = airTime != nil || calls.areWaiting
    }
    return now
  }

  /// Whether the air, which waits for this program, has to wait for delegates.
  private var mustWait: Bool { time.isAwaited && !isLeaving && calls.areWaiting }

  /// Lets delegates be called. Returns until when the thread may wait; `nil` to wait for a descriptor.
  ///
  /// - Parameters:
  ///   - deadline: When the thread has to act; `nil` to wait for a descriptor.
  ///   - wake: Wakes the thread when delegates have been called.
  ///   - rest: Waits for the radio: `AirTime.wait`. Not called while the air has to wait.
  func wait(
    until deadline: Instant?, wake: @escaping @Sendable () -> Void, rest: (Instant?) -> Instant?
  ) -> Instant? {
    guard isSimulated else { return rest(deadline) }
    // Before the calls: one that has returned may have asked for something.
    let mustWait = mustWait || (isHeld && time.isAwaited)
    calls.makeAll { if $0 { wake() } }
    guard mustWait else { return rest(deadline) }
    return deadline.flatMap { $0 <= time.now ? $0 : nil }
  }

  /// The radio is no longer used: its time passes by the monotonic clock too.
  mutating func leave() {
    isLeaving = true
    isHeld = false
    time.leave()
  }

  /// The thread ends. Calls that wait are made.
  func end() {
    guard isSimulated else { return }
    calls.follow(nil)
    calls.makeAll { _ in }
  }
}
