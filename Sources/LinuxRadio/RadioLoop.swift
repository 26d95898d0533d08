import BluetoothHost
import LinuxSystem

/// Runs a program on a radio until it has ended: one thread, one loop, asleep when idle.
public enum RadioLoop {
  /// How long saying goodbye may take, in milliseconds.
  package static let farewell: UInt32 = 2_000

  /// Runs `program` until it has finished, or `signals` end it: the first asks it to shut down,
  /// for which it has 2 s; the second does not wait.
  ///
  /// Nothing is allocated here once `program` runs.
  ///
  /// - Throws: Only if the kernel refuses to wait, which leaves nothing to be done.
  public static func run<Program: RadioProgram & ~Copyable>(
    _ program: inout Program, on radio: inout Radio, in loop: EventLoop,
    endedBy signals: TerminationSignals
  ) throws(SystemError) {
    var end: Instant?
    while true {
      let now = MonotonicClock.now
      if signals.count > 0, end == nil {
        program.shutDown(at: now)
        end = now.advanced(by: farewell)
      }
      let mayHaveMore = radio.serve(&program, at: now)
      if program.isFinished { return }
      if let end, now >= end || signals.count > 1 || !radio.isOpen { return }
      var deadline = Instant.earlier(program.deadline, radio.deadline)
      if mayHaveMore { deadline = now }
      try loop.wait(until: .earlier(deadline, end))
    }
  }
}
