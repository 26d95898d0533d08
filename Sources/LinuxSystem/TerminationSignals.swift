import CLinux
import Glibc

/// SIGINT and SIGTERM as something that a loop waits for, instead of something that ends the
/// process at any place.
public final class TerminationSignals: EventHandler {
  /// How many have come. The second one says that the user will not wait.
  public private(set) var count = 0

  private let descriptor: FileDescriptor
  private let loop: EventLoop
  private var registration: EventLoop.Registration?

  /// Takes the two signals of the calling thread, and of every thread made after, for `loop`.
  public init(loop: EventLoop) throws(SystemError) {
    self.loop = loop
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    let number = try SystemCall.run("watch", "SIGINT and SIGTERM") {
      unsafe signalfd(-1, &signals, CInt(SFD_CLOEXEC) | CInt(SFD_NONBLOCK))
    }
    descriptor = FileDescriptor(owning: number, name: "SIGINT and SIGTERM")
    registration = try loop.add(descriptor, for: .readable, handler: self)
  }

  /// Hears no more signals. They stay blocked.
  public func stop() {
    guard let registration else { return }
    loop.remove(registration)
    self.registration = nil
  }

  /// Counts the signals that have come.
  public func handle(_ readiness: Readiness, token: Int) {
    var storage = InlineArray<128, UInt8>(repeating: 0)
    var record = storage.mutableSpan
    // One record of 128 bytes a signal.
    while case .bytes = (try? descriptor.read(into: &record)) ?? .end { count += 1 }
  }
}
