import BallControl
import BluetoothHost
import Glibc
import LinuxRadio
import Synchronization

/// The main thread: the connections to the balls, the end of the children, and the signals that end
/// the program.
final class MainThread {
  let loop: LinuxRadio.EventLoop
  let balls: Balls
  private let signals: TerminationSignals
  private let reaper: Reaper
  private let starter: Starter?

  /// Before other threads start: they inherit the blocked signals.
  ///
  /// - Parameter endsWithInput: Whether the program ends when its standard input does, which the
  ///   program that has started it holds open.
  init(children: Children, endsWithInput: Bool) throws(SystemError) {
    loop = try LinuxRadio.EventLoop()
    signals = try TerminationSignals(loop: loop)
    reaper = try Reaper(children, loop: loop)
    starter = endsWithInput ? try Starter(loop: loop) : nil
    balls = try Balls(loop: loop)
  }

  /// Serves the thread of HTTP until a signal comes, or the program that has started this one ends.
  func run(_ pages: PageClients, _ figures: FiguresCollector) throws(SystemError) {
    while signals.count == 0, starter?.hasEnded != true {
      let now = MonotonicClock.now
      while let request = balls.next() {
        switch request {
        case .watch(let page): pages.open(page)
        case .send(let page, let line): pages.send(line, for: page)
        case .taken(let counts): pages.taken(counts)
        case .leave(let page): pages.close(page)
        case .figures: figures.begin(at: now)
        }
      }
      pages.advance(to: now)
      figures.advance(to: now)
      try loop.wait(until: Instant.earlier(pages.deadline, figures.deadline))
    }
  }
}

/// The program that has started this one: it holds standard input open.
private final class Starter: EventHandler {
  private(set) var hasEnded = false
  private let input = FileDescriptor(owning: STDIN_FILENO, name: "standard input")

  init(loop: LinuxRadio.EventLoop) throws(SystemError) {
    _ = try loop.add(input, for: .readable, handler: self)
  }

  func handle(_ readiness: Readiness, token: Int) { hasEnded = true }
}

/// Notices the end of the children.
private final class Reaper: EventHandler {
  private let children: Children
  private let queue: SignalQueue

  init(_ children: Children, loop: LinuxRadio.EventLoop) throws(SystemError) {
    self.children = children
    queue = try SignalQueue([SIGCHLD], name: "SIGCHLD")
    _ = try loop.add(queue, handler: self)
  }

  func handle(_ readiness: Readiness, token: Int) {
    while queue.next() != nil {}
    children.reap()
  }
}
