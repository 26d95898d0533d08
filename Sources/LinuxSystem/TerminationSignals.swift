import Glibc

/// SIGINT, SIGTERM and SIGHUP as something that a loop waits for, instead of something that ends
/// the process at any place.
public final class TerminationSignals: EventHandler {
  /// How many have come. The second one says that the user will not wait.
  public private(set) var count = 0

  private let queue: SignalQueue
  private let loop: EventLoop
  private var registration: EventLoop.Registration?

  /// The signals by which a user ends a program: SIGHUP, which says that the terminal has gone, is
  /// none of them where it is ignored, as nohup(1) has it.
  public static var numbers: [CInt] {
    isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
  }

  /// Takes the signals of the calling thread, and of every thread made after, for `loop`.
  public init(loop: EventLoop) throws(SystemError) {
    self.loop = loop
    queue = try SignalQueue(Self.numbers, name: "SIGINT, SIGTERM and SIGHUP")
    registration = try loop.add(queue.descriptor, for: .readable, handler: self)
  }

  /// Hears no more signals. They stay blocked.
  public func stop() {
    guard let registration else { return }
    loop.remove(registration)
    self.registration = nil
  }

  /// Counts the signals that have come.
  public func handle(_ readiness: Readiness, token: Int) {
    while let signal = queue.next() {
      // A terminal that goes is told of by the kernel and by the shell: nobody is impatient.
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
