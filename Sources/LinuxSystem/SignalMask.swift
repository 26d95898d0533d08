import Glibc

/// Which signals a thread takes.
public enum SignalMask {
  /// The calling thread takes none: they go to the process's other threads.
  public static func blockAll() {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
