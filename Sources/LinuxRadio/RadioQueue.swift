import Linux
import LinuxSystem

/// Is notified when a radio is ready, so that a program with many radios serves only those.
package protocol RadioWatcher: AnyObject {
  /// The radio can be read or written now.
  func radioIsReady()
}

/// The queue of a program's radios, in its event loop.
package final class RadioQueue: EventHandler {
  let queue: PollQueue
  private let loop: EventLoop
  private var registration: EventLoop.Registration?
  /// The radios by their tokens.
  private var radios: [UInt32: Weak] = [:]
  private var nextToken = PollToken.firstFree

  private struct Weak {
    weak var events: RadioEvents?
  }

  /// An empty queue in `loop`, which retains it until `close()`.
  package init(loop: EventLoop) throws(SystemError) {
    guard let queue = PollQueue() else { throw SystemError(.current, "create", "an event queue") }
    self.queue = queue
    self.loop = loop
    registration = try loop.add(number: self.queue.number, for: .readable, handler: self)
  }

  /// Stops waking the loop.
  package func close() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  /// Two tokens for a radio: its own, and that of its listener.
  func add(_ events: RadioEvents) -> (radio: PollToken, listener: PollToken) {
    let token = PollToken(rawValue: nextToken)
    nextToken &+= 2
    radios[token.rawValue] = Weak(events: events)
    return (token, PollToken(rawValue: token.rawValue &+ 1))
  }

  /// Forgets the radio with this token.
  func remove(_ token: PollToken) {
    radios[token.rawValue] = nil
  }

  /// Gives the radios their events. A listener only wakes the loop.
  package func handle(_ readiness: Readiness, token: Int) {
    // Others have their turn after a few dozen radios.
    for _ in 0..<8 {
      var count = 0
      let isRight = queue.wait(0) { token, events in
        count += 1
        radios[token.rawValue]?.events?.note(events)
      }
      guard isRight, count == PollQueue.capacity else { return }
    }
  }
}

/// The events of one radio that it has not handled yet.
final class RadioEvents {
  private var pending: UInt32 = 0
  private weak var watcher: (any RadioWatcher)?

  init(watcher: (any RadioWatcher)? = nil) {
    self.watcher = watcher
  }

  func note(_ events: UInt32) {
    pending |= events
    watcher?.radioIsReady()
  }

  /// Takes them.
  func take() -> UInt32 {
    defer { pending = 0 }
    return pending
  }
}
