import BluetoothHost
import LinuxSystem

/// Serves a page of metrics by HTTP/1.1 in the program's event loop: GET and HEAD of `/metrics`.
///
/// Nothing here waits. A request has at most 4,096 bytes and 5 s; a client that does not take the
/// reply within 5 s is dropped. There are at most 8 clients; a further one replaces the oldest.
///
/// After each turn of the loop the program calls `advance(to:)`, and `answer` or `refuse` if
/// `isAsked`.
public final class MetricsServer: EventHandler {
  /// The most clients at once.
  public static let maximumConnections = 8
  /// How long to pause after a failure to accept a client, in milliseconds.
  private static let retryDelay: UInt32 = 1_000

  /// The TCP port that it listens on.
  public let port: UInt16

  private let listener: StreamListener
  private let loop: EventLoop
  private let clock: () -> Instant
  private var registration: EventLoop.Registration?
  private var connections: [MetricsConnection?] = Array(repeating: nil, count: maximumConnections)
  /// How many clients have connected.
  private var arrivals = 0
  /// When to accept again; `nil` without a failure.
  private var resumption: Instant?

  /// Whether a client waits for the page.
  public private(set) var isAsked = false

  /// Serves the clients of `listener`.
  ///
  /// - Parameter clock: The loop's clock.
  public init(
    _ listener: consuming StreamListener, loop: EventLoop,
    clock: @escaping () -> Instant = { MonotonicClock.now }
  ) throws(SystemError) {
    port = listener.port
    self.listener = listener
    self.loop = loop
    self.clock = clock
    registration = try loop.add(self.listener.descriptor, for: .readable, handler: self, token: -1)
  }

  /// Listens at `address`. Looking up a host name may take long.
  ///
  /// - Throws: `addressInUse`, with what to do, if the port is taken; `accessDenied`;
  ///   `addressNotAvailable`.
  public convenience init(_ address: MetricsAddress, loop: EventLoop) throws(SystemError) {
    try self.init(Self.listener(at: address), loop: loop)
  }

  /// A socket that listens at `address`.
  public static func listener(at address: MetricsAddress) throws(SystemError) -> StreamListener {
    do throws(SystemError) {
      return try StreamListener(host: address.host, port: address.port)
    } catch {
      guard error.code == .addressInUse else { throw error }
      throw SystemError(
        error.code, error.operation, error.subject,
        explanation: "another program listens there. Give another port, or 0 for one that is free")
    }
  }

  /// When `advance(to:)` must be called; `nil` if the server waits only for clients.
  public var deadline: Instant? {
    connections.reduce(resumption) { .earlier($0, $1?.deadline) }
  }

  /// Accepts clients again after a pause, and ends each client whose time is over: a partial
  /// request gets 408.
  public func advance(to now: Instant) {
    guard let deadline, deadline <= now else { return }
    if let resumption, resumption <= now {
      self.resumption = nil
      listen(for: .readable)
    }
    for index in connections.indices {
      guard let connection = connections[index], connection.deadline <= now else { continue }
      attempt(at: index) { (connection) throws(SystemError) in try connection.expire(at: now) }
    }
    lookForAsking()
  }

  /// Gives the page to all clients that wait for it.
  public func answer(_ metrics: MetricsText) { reply(.page(metrics.text)) }

  /// Replies to all waiting clients with a sentence that says why there is no page.
  public func refuse(_ sentence: String) { reply(.failure(.serviceUnavailable, sentence)) }

  /// Drops all clients and accepts no more. The port is free with the last reference.
  public func close() {
    if let registration { loop.remove(registration) }
    registration = nil
    resumption = nil
    for index in connections.indices { connections[index] = nil }
    isAsked = false
  }

  /// The descriptor of `token` is ready.
  public func handle(_ readiness: Readiness, token: Int) {
    guard connections.indices.contains(token) else { return accept() }
    let now = clock()
    attempt(at: token) { (connection) throws(SystemError) in
      try connection.handle(readiness, at: now)
    }
    lookForAsking()
  }

  private func reply(_ reply: HTTPReply) {
    guard isAsked else { return }
    let now = clock()
    for index in connections.indices {
      attempt(at: index) { (connection) throws(SystemError) in
        try connection.answer(reply, at: now)
      }
    }
    lookForAsking()
  }

  private func accept() {
    do throws(SystemError) {
      // No more in one turn, because the ball waits meanwhile.
      for _ in 0..<Self.maximumConnections {
        switch try listener.accept() {
        case nil: return
        case let connection?:
          let index = freeConnection()
          arrivals += 1
          connections[index] = try MetricsConnection(
            connection, number: arrivals, token: index, handler: self, loop: loop, at: clock())
        }
      }
    } catch {
      // A waiting client keeps the listener readable, and would wake the loop repeatedly.
      resumption = clock().advanced(by: Self.retryDelay)
      listen(for: .none)
    }
  }

  /// The index for one more client: a free one, or that of the oldest.
  private func freeConnection() -> Int {
    var first = 0
    for index in connections.indices {
      guard let connection = connections[index] else { return index }
      if connection.number < connections[first]?.number ?? .max { first = index }
    }
    connections[first] = nil
    return first
  }

  /// Does something with a client, and drops it if that fails.
  private func attempt(
    at index: Int, _ body: (MetricsConnection) throws(SystemError) -> Void
  ) {
    guard let connection = connections[index] else { return }
    do throws(SystemError) {
      try body(connection)
    } catch {
      connections[index] = nil
    }
  }

  private func lookForAsking() {
    isAsked = connections.contains { $0?.isAsking == true }
  }

  private func listen(for interest: Readiness) {
    guard let registration else { return }
    // Only a closed event queue refuses, and then nothing waits on it.
    try? loop.change(registration, to: interest)
  }
}
