import BallControl
import BluetoothHost
import LinuxSystem

/// The pages' connections to the ball, on the main thread.
final class PageClients {
  /// Events of the page's connection.
  typealias Events = [(page: Int, event: ControlClient.Event)]

  private let paths: [String]
  private let loop: LinuxSystem.EventLoop
  private let deliver: (Events) -> Void
  private var clients: [Int: ControlClient] = [:]
  private var events: Events = []

  /// - Parameters:
  ///   - paths: The possible paths of the ball's control socket, in this order.
  ///   - deliver: Takes the events of a turn.
  init(_ paths: [String], loop: LinuxSystem.EventLoop, deliver: @escaping (Events) -> Void) {
    self.paths = paths
    self.loop = loop
    self.deliver = deliver
  }

  /// A page has opened, and gets the state of the ball and its packets.
  func open(_ page: Int) {
    clients[page] = ControlClient(paths: paths, wantsPackets: true, loop: loop) {
      [unowned self] event in events.append((page, event))
    }
  }

  /// Sends a line to the page's ball; nothing if it has gone.
  func send(_ line: String, for page: Int) { clients[page]?.send(line) }

  /// A page has closed: the ball releases a button that it held.
  func close(_ page: Int) { clients.removeValue(forKey: page)?.close() }

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
