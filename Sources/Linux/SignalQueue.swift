/// Signals that a loop waits for, instead of signal handlers: signalfd(2).
public struct SignalQueue: ~Copyable {
  /// Readable while a signal is pending.
  package let descriptor: PortDescriptor

  /// Blocks some signals in the calling thread and in threads that it starts later, and queues them;
  /// `nil` if the kernel refuses. They stay blocked after the queue is destroyed, and so does SIGPIPE.
  ///
  /// - Parameter signals: Bit N is set for the signal with the number N.
  package init?(_ signals: UInt64) {
    let number = clinux_open_signals(signals)
    guard number >= 0 else { return nil }
    descriptor = PortDescriptor(owning: number)
  }

  /// Takes the number of the next signal; `nil` if none is pending. A signal that came several
  /// times is reported once.
  public borrowing func next() -> Int32? {
    let signal = clinux_next_signal(descriptor.number)
    return signal > 0 ? signal : nil
  }
}

/// The signals with which a user ends a program: SIGINT, SIGTERM and SIGHUP. SIGHUP, which reports
/// that the terminal is gone, is left out if it is ignored, as after nohup(1).
package struct EndSignals: ~Copyable {
  // <signal.h>: the same on all processors. SIGHUP is 1, SIGINT 2 and SIGTERM 15.
  private static var hangUp: Int32 { 1 }

  /// How many have come. The second one means that the user will not wait.
  package private(set) var count = 0

  private let queue: SignalQueue

  /// Queues the signals; `nil` if the kernel refuses.
  package init?() {
    let ends: UInt64 = 1 &<< 2 | 1 &<< 15
    let all: UInt64 = ends | 1 &<< 1
    guard let queue = SignalQueue(clinux_ignores(Self.hangUp) != 0 ? ends : all) else {
      return nil
    }
    self.queue = queue
  }

  /// Readable while a signal is pending.
  package var number: Int32 { queue.descriptor.number }

  /// Counts the signals that have come.
  package mutating func take() {
    while let signal = queue.next() {
      // Both the kernel and the shell report a lost terminal: a repeated SIGHUP does not mean hurry.
      if signal != Self.hangUp || count == 0 { count &+= 1 }
    }
  }
}
