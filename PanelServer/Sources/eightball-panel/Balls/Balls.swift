import BallControl
import BluetoothHost
import LinuxRadio
import Synchronization

/// What the thread of HTTP asks of the main thread, which has the connections to the balls.
final class Balls: Sendable {
  /// A request to the main thread.
  enum Request {
    /// Connect this page to the ball, and to the next one when a ball ends.
    case watch(page: Int)
    /// Send a line to this page's ball.
    case send(page: Int, String)
    /// The thread of HTTP has taken so many bytes of lines for each of these pages.
    case taken([Int: Int])
    /// The page has closed.
    case leave(page: Int)
    /// Get the figures of all balls.
    case figures
  }

  private let waiting = Mutex<[Request]>([])
  private let wakeup: Wakeup

  init(loop: LinuxRadio.EventLoop) throws(SystemError) { wakeup = try Wakeup(loop: loop) }

  /// Passes a request on, on any thread.
  func ask(_ request: Request) {
    waiting.withLock { $0.append(request) }
    wakeup.ring()
  }

  /// Takes the oldest request, on the main thread; `nil` without one.
  func next() -> Request? {
    waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}

/// The pages' connections to the ball, on the main thread.
final class PageClients {
  /// Events of the page's connection.
  typealias Events = [(page: Int, event: ControlClient.Event)]

  /// The most bytes of a page's lines that the thread of HTTP has not taken. Beyond that its connection is
  /// not read: otherwise a fast ball would fill the memory while that thread does not run.
  private static let mostUntaken = 1 << 20

  private let paths: [String]
  private let loop: LinuxRadio.EventLoop
  private let deliver: (Events) -> Void
  private var clients: [Int: ControlClient] = [:]
  /// The bytes of each page's lines that the thread of HTTP has not taken.
  private var untaken: [Int: Int] = [:]
  private var events: Events = []

  /// - Parameters:
  ///   - paths: The possible paths of the ball's control socket, in this order.
  ///   - deliver: Takes the events of a turn.
  init(_ paths: [String], loop: LinuxRadio.EventLoop, deliver: @escaping (Events) -> Void) {
    self.paths = paths
    self.loop = loop
    self.deliver = deliver
  }

  /// A page has opened, and gets the state of the ball and its packets.
  func open(_ page: Int) {
    clients[page] = ControlClient(paths: paths, wantsPackets: true, loop: loop) {
      [unowned self] event in receive(event, for: page)
    }
  }

  private func receive(_ event: ControlClient.Event, for page: Int) {
    events.append((page, event))
    untaken[page, default: 0] += Self.size(of: event)
    if untaken[page, default: 0] > Self.mostUntaken { clients[page]?.isReading = false }
  }

  /// The bytes of the events for each page.
  static func byteCounts(of events: Events) -> [Int: Int] {
    var counts: [Int: Int] = [:]
    for (page, event) in events { counts[page, default: 0] += size(of: event) }
    return counts
  }

  /// The bytes of a line with its end, which a ball decides; 0 of other events, which are few.
  private static func size(of event: ControlClient.Event) -> Int {
    if case .line(let line) = event { line.count + 1 } else { 0 }
  }

  /// The thread of HTTP has taken so many bytes for each of these pages.
  func taken(_ counts: [Int: Int]) {
    for (page, count) in counts {
      guard let client = clients[page] else { continue }
      let rest = untaken[page, default: 0] - count
      untaken[page] = rest
      if rest <= Self.mostUntaken / 2 { client.isReading = true }
    }
  }

  /// Sends a line to the page's ball; nothing if it has gone.
  func send(_ line: String, for page: Int) { clients[page]?.send(line) }

  /// A page has closed: the ball releases a button that it held.
  func close(_ page: Int) {
    clients.removeValue(forKey: page)?.close()
    untaken[page] = nil
  }

  /// When `advance(to:)` must be called, also without an event of the loop.
  var deadline: Instant? {
    clients.values.reduce(nil) { Instant.earlier($0, $1.deadline) }
  }

  /// Called in each turn of the loop.
  func advance(to now: Instant) {
    for client in clients.values { client.advance(to: now) }
    guard !events.isEmpty else { return }
    deliver(events)
    events = []
  }
}
