import Glibc

/// Signals that a loop waits for, instead of signal handlers: signalfd(2).
public struct SignalQueue: ~Copyable {
  /// Readable while a signal is pending.
  public let descriptor: FileDescriptor

  /// Blocks `signals` in the calling thread and in threads that it starts later, and queues them.
  /// They stay blocked after the queue is destroyed.
  ///
  /// - Parameter name: The name of the signals in error messages.
  public init(_ signals: [CInt], name: String) throws(SystemError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    let number = try SystemCall.run("watch", name) {
      unsafe clinuxsystem_open_signals(&set)
    }
    descriptor = FileDescriptor(owning: number, name: name)
  }

  /// Takes the number of the next signal; `nil` if none is pending. A signal that came several
  /// times is reported once.
  public borrowing func next() -> CInt? {
    // A record of 128 bytes for each signal, which begins with its number: signalfd(2).
    var record = InlineArray<128, UInt8>(repeating: 0)
    var space = record.mutableSpan
    guard case .bytes = (try? descriptor.read(into: &space)) ?? .end else { return nil }
    return CInt(record[0])
  }
}
