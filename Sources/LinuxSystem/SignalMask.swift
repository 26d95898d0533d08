import Glibc

/// The signal mask of a thread.
public enum SignalMask {
  /// Blocks all signals in the calling thread: they go to the process's other threads.
  public static func blockAll() {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Calls `body` while `signal` is blocked or unblocked in the calling thread, and restores the
  /// mask.
  public static func with(_ signal: CInt, isBlocked: Bool, _ body: () -> Void) {
    var signals = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, signal)
    unsafe pthread_sigmask(isBlocked ? SIG_BLOCK : SIG_UNBLOCK, &signals, &before)
    body()
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
