import Glibc
import Linux

extension SignalQueue {
  /// Blocks `signals` in the calling thread and in threads that it starts later, and queues them.
  /// They stay blocked after the queue is destroyed.
  ///
  /// - Parameter name: The name of the signals in error messages.
  public init(_ signals: [Int32], name: String) throws(SystemError) {
    let bits = signals.reduce(UInt64(0)) { $0 | 1 << UInt64($1) }
    guard let queue = SignalQueue(bits) else { throw SystemError(.current, "watch", name) }
    self = queue
  }
}

/// Counts SIGINT, SIGTERM and SIGHUP in a loop, so that they do not end the process at once.
public final class TerminationSignals: EventHandler {
  /// How many have come. The second one means that the user will not wait.
  public var count: Int { signals.count }

  private var signals: EndSignals
  private let loop: EventLoop
  private var registration: EventLoop.Registration?

  /// Queues the signals of the calling thread, and of threads that it starts later, for `loop`.
  public init(loop: EventLoop) throws(SystemError) {
    self.loop = loop
    guard let signals = EndSignals() else {
      throw SystemError(.current, "watch", "SIGINT, SIGTERM and SIGHUP")
    }
    self.signals = signals
    registration = try loop.add(number: self.signals.number, for: .readable, handler: self)
  }

  /// Stops counting. The signals stay blocked.
  public func stop() {
    guard let registration else { return }
    loop.remove(registration)
    self.registration = nil
  }

  /// Counts the signals that have come.
  public func handle(_ readiness: Readiness, token: Int) { signals.take() }
}

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
