import BluetoothHost
import LinuxSystem

extension Radio {
  /// Waits in `loop` until the host of a radio that has just been made is found or not, or a signal
  /// comes. Any other radio is not waited for.
  ///
  /// - Throws: Why it cannot be opened.
  package mutating func awaitHost(
    in loop: EventLoop, endedBy signals: TerminationSignals? = nil
  ) throws {
    while let deadline = source.deadline, signals.map({ $0.count == 0 }) ?? true {
      try loop.wait(until: deadline)
      reopen(at: MonotonicClock.now)
    }
    if let refusal { throw refusal }
  }
}
