import Glibc

/// Signals as something that a loop waits for, instead of something that happens at any place.
public struct SignalQueue: ~Copyable {
  /// Readable while a signal has come that has not been taken.
  public let descriptor: FileDescriptor

  /// Takes `signals` from the calling thread, and from every thread made after. They stay blocked
  /// when the queue has gone.
  ///
  /// - Parameter name: What error messages call them.
  public init(_ signals: [CInt], name: String) throws(SystemError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    let number = try SystemCall.run("watch", name) {
      unsafe clinux_open_signals(&set)
    }
    descriptor = FileDescriptor(owning: number, name: name)
  }

  /// Takes the number of the next signal; `nil` if none has come. One that has come several times
  /// is told once.
  public borrowing func next() -> CInt? {
    // One record of 128 bytes a signal, which begins with its number: signalfd(2).
    var record = InlineArray<128, UInt8>(repeating: 0)
    var space = record.mutableSpan
    guard case .bytes = (try? descriptor.read(into: &space)) ?? .end else { return nil }
    return CInt(record[0])
  }
}
