import BluetoothHost
import LinuxRadio

/// Watches a ball through its control socket: receives lines of JSON, sends requests. When the ball
/// goes, the client waits for the next one.
///
/// It runs in an event loop, and no call waits:
///
///     let client = ControlClient(loop: loop) { event in … }
///     while true {
///       client.advance(to: MonotonicClock.now)
///       try loop.wait(until: client.deadline)
///     }
public final class ControlClient: EventHandler {
  /// An event of the client.
  public enum Event: Equatable, Sendable {
    /// The client is connected to the ball at this path. The lines of its state follow.
    case connected(path: String)
    /// A line, without its end: a JSON object in UTF-8, as a ball sends it.
    case line([UInt8])
    /// The connection has ended; `nil` if the ball closed it, because it ended or this client read
    /// too slowly.
    case ended(ControlError?)
    /// There is no ball to connect to. Reported once for each different reason in a row.
    case unreachable(ControlError)
  }

  /// The connection, while there is one.
  private final class Connection {
    let descriptor: FileDescriptor
    var registration: EventLoop.Registration?
    var lines = LineBuffer()
    /// Whether the ball has sent a line.
    var hasLine = false
    /// Until when it must have sent one.
    let silenceEnd: Instant
    /// The requests that the kernel has not taken.
    var requests: [UInt8] = []

    init(_ descriptor: consuming FileDescriptor, at now: Instant) {
      self.descriptor = descriptor
      silenceEnd = now.advanced(by: ControlClient.patience)
    }
  }

  /// The interval between attempts if the kernel does not watch the folders, in milliseconds.
  private static let retryDelay: UInt32 = 1_000
  /// The interval if it does: the kernel does not report that a folder itself was removed.
  private static let watchedRetryDelay: UInt32 = 10_000
  /// How long a ball may take for the first line of its state, in milliseconds.
  private static let patience: UInt32 = 10_000
  /// How many bytes of requests may wait.
  private static let mostWaiting = 4_096

  private let paths: [String]
  private let wantsPackets: Bool
  private let loop: EventLoop
  private let onEvent: (Event) -> Void
  private var connection: Connection?
  private var watches: [DirectoryWatch] = []
  private var nextAttempt: Instant? = Instant(rawValue: 0)
  /// The earliest time of the next attempt, even if the connection ends sooner.
  private var earliestAttempt = Instant(rawValue: 0)
  private var reported: ControlError?
  private var buffer = [UInt8](repeating: 0, count: 16_384)

  /// A client that looks for a ball at its first `advance(to:)`.
  ///
  /// - Parameters:
  ///   - paths: Where to look, in this order: `ControlPath.candidates()`.
  ///   - wantsPackets: Whether to ask each ball for its packets.
  ///   - onEvent: Called in the loop's turns and in `advance(to:)`. It may call the client.
  public init(
    paths: [String] = ControlPath.candidates(), wantsPackets: Bool = false, loop: EventLoop,
    onEvent: @escaping (Event) -> Void
  ) {
    self.paths = paths
    self.wantsPackets = wantsPackets
    self.loop = loop
    self.onEvent = onEvent
  }

  /// Whether the client reads lines. If not, they wait in the socket until the kernel's and the
  /// ball's buffers are full; then the ball ends the connection.
  public var isReading = true {
    didSet {
      guard isReading != oldValue, let connection else { return }
      do throws(SystemError) {
        try changeInterest(of: connection)
      } catch {
        end(.broken(error))
      }
    }
  }

  /// When `advance(to:)` is due without another event; `nil` for never. Read it after each turn of
  /// the loop.
  public var deadline: Instant? { nextAttempt ?? silenceEnd }

  /// When a ball that has sent nothing counts as silent; `nil` while it is not read, or has sent a line.
  private var silenceEnd: Instant? {
    guard let connection, isReading, !connection.hasLine else { return nil }
    return connection.silenceEnd
  }

  /// Looks for a ball if there is none, and a try is due or a socket was created. Leaves one that has sent nothing.
  public func advance(to now: Instant) {
    if let silenceEnd, silenceEnd <= now { end(nil) }
    guard connection == nil else { return }
    var hasChanged = false
    for watch in watches where watch.takeChange() { hasChanged = true }
    guard hasChanged || nextAttempt.map({ $0 <= now }) == true else { return }
    look(at: now)
  }

  /// Sends a request, such as `down shake`. `false`, and nothing is sent, without a ball or if the
  /// request is not one line.
  @discardableResult
  public func send(_ request: String) -> Bool {
    guard let connection, !request.utf8.contains(UInt8(ascii: "\n")) else { return false }
    connection.requests += request.utf8
    connection.requests.append(UInt8(ascii: "\n"))
    flush(connection)
    return self.connection != nil
  }

  /// Ends the connection and stops looking for a ball. No more events follow.
  public func close() {
    disconnect()
    stopWatching()
    nextAttempt = nil
  }

  /// The socket is readable or writable, or the ball has gone.
  public func handle(_ readiness: Readiness, token: Int) {
    guard let connection else { return }
    if readiness.isWritable, !connection.requests.isEmpty { flush(connection) }
    guard readiness.isReadable, self.connection != nil else { return }
    do throws(SystemError) {
      var space = buffer.mutableSpan
      switch try connection.descriptor.read(into: &space) {
      case .nothingYet: return
      case .end: return end(nil)
      case .bytes(let count): connection.lines.append(buffer.span.extracting(first: count))
      }
    } catch {
      return end(error.code == .connectionReset ? nil : .broken(error))
    }
    // The event handler may end the connection.
    while self.connection === connection {
      if connection.lines.isTooLong { return end(.lineTooLong(LineBuffer.limit)) }
      guard let line = connection.lines.next() else { return }
      if !connection.hasLine, Self.isErrorLine(line) { return end(.full) }
      connection.hasLine = true
      onEvent(.line(line))
    }
  }

  /// Whether a ball's first line says that it takes no more listeners: an error about no request.
  public static func isErrorLine(_ line: [UInt8]) -> Bool {
    line.starts(with: #"{"event":"error","request":"","#.utf8)
  }

  // MARK: Connecting

  private func look(at now: Instant) {
    // Watches first, so that a socket created in between is not missed.
    let isWatched = watch()
    let failure: ControlError
    do throws(ControlError) {
      try begin(try ControlPath.connect(paths), at: now)
      return
    } catch {
      failure = error
    }
    let isQuiet = if case .noBall = failure { isWatched } else { false }
    nextAttempt = now.advanced(by: isQuiet ? Self.watchedRetryDelay : Self.retryDelay)
    guard failure != reported else { return }
    reported = failure
    onEvent(.unreachable(failure))
  }

  private func begin(
    _ descriptor: consuming FileDescriptor, at now: Instant
  ) throws(ControlError) {
    let connection = Connection(descriptor, at: now)
    do throws(SystemError) {
      connection.registration = try loop.add(
        connection.descriptor, for: isReading ? .readable : .none, handler: self)
    } catch {
      throw .unusable(error)
    }
    stopWatching()
    self.connection = connection
    nextAttempt = nil
    earliestAttempt = now.advanced(by: Self.retryDelay)
    reported = nil
    onEvent(.connected(path: connection.descriptor.name))
    if wantsPackets, self.connection === connection { send("packets") }
  }

  private func end(_ error: ControlError?) {
    var error = error
    if error == nil, let connection, !connection.hasLine {
      error = .silent(connection.descriptor.name)
    }
    disconnect()
    nextAttempt = earliestAttempt
    onEvent(.ended(error))
  }

  private func disconnect() {
    if let registration = connection?.registration { loop.remove(registration) }
    connection = nil
  }

  private func flush(_ connection: Connection) {
    let requests = connection.requests
    do throws(SystemError) {
      let count = try connection.descriptor.write(requests.span)
      connection.requests.removeFirst(count)
      guard connection.requests.count <= Self.mostWaiting else {
        return end(.stuck(connection.requests.count))
      }
      try changeInterest(of: connection)
    } catch {
      // What the ball sent before it ended is still read.
      guard error.code != .brokenPipe, error.code != .connectionReset else { return }
      end(.broken(error))
    }
  }

  private func changeInterest(of connection: Connection) throws(SystemError) {
    guard let registration = connection.registration else { return }
    var interest: Readiness = isReading ? .readable : .none
    if !connection.requests.isEmpty { interest.add(.writable) }
    try loop.change(registration, to: interest)
  }

  // MARK: Watching folders

  /// Lets the kernel watch for sockets; whether it does so for all paths.
  private func watch() -> Bool {
    stopWatching()
    for path in paths {
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      let name = String(parts.last ?? "")
      let folder = parts.dropLast().joined(separator: "/")
      let directory = parts.count == 1 ? "." : folder.isEmpty ? "/" : folder
      guard let watch = try? DirectoryWatch(directory, namesFrom: name, loop: loop) else {
        continue
      }
      watches.append(watch)
    }
    return watches.count == paths.count
  }

  private func stopWatching() {
    for watch in watches { watch.stop() }
    watches.removeAll()
  }
}

/// Why a ball cannot be watched.
///
/// Prints as one or two sentences, without the last full stop.
public enum ControlError: Error, Equatable, CustomStringConvertible, Sendable {
  /// No ball listens at these paths.
  case noBall([String])
  /// A socket exists and cannot be used, such as another user's.
  case unusable(SystemError)
  /// The connection broke.
  case broken(SystemError)
  /// The ball sent more bytes than this without a line end, so it is probably not a ball.
  case lineTooLong(Int)
  /// The program at this path has sent nothing, or has ended the connection before: it is probably not a ball.
  case silent(String)
  /// The ball has as many listeners as it takes.
  case full
  /// The ball does not read its requests: so many bytes wait.
  case stuck(Int)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .noBall(let paths):
      "no ball runs: nothing listens at \(paths.joined(separator: " or ")). Start one: "
        + "eightball run\(ControlPath.option(for: paths))"
    case .unusable(let error) where error.code == .notPermitted:
      "\(error). Name the socket of your own ball by --control or \(ControlPath.variable)"
    case .unusable(let error) where error.subject == ControlPath.ofService:
      "\(error). Only root may watch the ball of the service: use sudo"
    case .unusable(let error), .broken(let error): error.description
    case .lineTooLong(let limit):
      "the ball sent a line of more than \(limit) bytes; is there something else at its socket?"
    case .silent(let path):
      "the program at \(path) sends no state, as a ball does. Name a ball's socket by --control or "
        + ControlPath.variable
    case .full: "16 programs listen to the ball, which takes no more. End one of them"
    case .stuck(let count): "the ball does not read its requests: \(count) bytes wait"
    }
  }
}
