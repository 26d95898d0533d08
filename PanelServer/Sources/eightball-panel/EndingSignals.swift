import Glibc

/// The signals that end the panel, for a thread to wait for.
struct EndingSignals {
  private var signals = sigset_t()

  /// Blocks them in this thread and in threads that it starts later.
  init() {
    unsafe sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&signals, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Waits for one.
  func wait() {
    var signal: CInt = 0
    var signals = self.signals
    while unsafe sigwait(&signals, &signal) != 0 {}
  }
}
