import Glibc

/// Counts SIGINT, SIGTERM and SIGHUP in a loop, so that they do not end the process at once.
public final class TerminationSignals: EventHandler {
  /// How many have come. The second one means that the user will not wait.
  public private(set) var count = 0

  private let queue: SignalQueue
  private let loop: EventLoop
  private var registration: EventLoop.Registration?

  /// The signals by which a user ends a program. SIGHUP, which reports that the terminal is gone,
  /// is left out if it is ignored, as after nohup(1).
  public static var numbers: [CInt] {
    isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
  }

  /// Queues the signals of the calling thread, and of threads that it starts later, for `loop`.
  public init(loop: EventLoop) throws(SystemError) {
    self.loop = loop
    queue = try SignalQueue(Self.numbers, name: "SIGINT, SIGTERM and SIGHUP")
    registration = try loop.add(queue.descriptor, for: .readable, handler: self)
  }

  /// Stops counting. The signals stay blocked.
  public func stop() {
    guard let registration else { return }
    loop.remove(registration)
    self.registration = nil
  }

  /// Counts the signals that have come.
  public func handle(_ readiness: Readiness, token: Int) {
    while let signal = queue.next() {
      // Both the kernel and the shell report a lost terminal: a repeated SIGHUP does not mean
      // hurry.
      if signal != SIGHUP || count == 0 { count += 1 }
    }
  }

  private static func isIgnored(_ signal: CInt) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
