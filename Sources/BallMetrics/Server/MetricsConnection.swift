import BluetoothHost
import Glibc
import LinuxSystem

/// One client of a metrics server: one request, one reply, then the end.
final class MetricsConnection {
  /// What the connection waits for.
  private enum Phase {
    /// The request.
    case reading
    /// The page.
    case asking(isHead: Bool)
    /// The client to take the reply.
    case writing
    /// The client to close.
    case leaving
  }

  /// How long a client may take to send its request, and to take the reply, in milliseconds each.
  static let timeout: UInt32 = 5_000
  /// How long a client may take to close, in milliseconds.
  static let closeTimeout: UInt32 = 1_000

  /// Its number in order of arrival.
  let number: Int

  /// When `expire(at:)` must be called.
  private(set) var deadline: Instant

  private let descriptor: FileDescriptor
  private let loop: EventLoop
  private let registration: EventLoop.Registration
  private var phase = Phase.reading
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var written = 0

  init(
    _ descriptor: consuming FileDescriptor, number: Int, token: Int, handler: any EventHandler,
    loop: EventLoop, at now: Instant
  ) throws(SystemError) {
    self.number = number
    registration = try loop.add(descriptor, for: .readable, handler: handler, token: token)
    self.descriptor = descriptor
    self.loop = loop
    deadline = now.advanced(by: Self.timeout)
  }

  deinit { loop.remove(registration) }

  /// Whether it waits for the page.
  var isAsking: Bool {
    if case .asking = phase { true } else { false }
  }

  /// Continues as far as possible now.
  ///
  /// - Throws: If the connection is over.
  func handle(_ readiness: Readiness, at now: Instant) throws(SystemError) {
    switch phase {
    case .reading: try readRequest(at: now)
    case .asking: if readiness.isHangUp { throw ended }
    case .writing: try write(at: now)
    case .leaving: try leave()
    }
  }

  /// Ends the present phase, whose time is over.
  ///
  /// - Throws: If the connection is over.
  func expire(at now: Instant) throws(SystemError) {
    // A client that has sent nothing gets no reply.
    guard case .reading = phase, !input.isEmpty else { throw ended }
    try reply(.failure(.requestTimeout), hasBody: !HTTPRequest.isHead(input), at: now)
  }

  /// Sends the reply, if the client waits for the page.
  ///
  /// - Throws: If the connection is over.
  func answer(_ reply: HTTPReply, at now: Instant) throws(SystemError) {
    guard case .asking(let isHead) = phase else { return }
    try self.reply(reply, hasBody: !isHead, at: now)
  }

  private func readRequest(at now: Instant) throws(SystemError) {
    var storage = [UInt8](repeating: 0, count: HTTPRequest.limit - input.count)
    var space = storage.mutableSpan
    switch try descriptor.read(into: &space) {
    case .nothingYet: return
    case .end: throw ended
    case .bytes(let count): input += storage.prefix(count)
    }
    switch HTTPRequest(input) {
    case nil: return
    case .get: try ask(isHead: false, at: now)
    case .head: try ask(isHead: true, at: now)
    case .refused(let status):
      try reply(.failure(status), hasBody: !HTTPRequest.isHead(input), at: now)
    }
  }

  private func ask(isHead: Bool, at now: Instant) throws(SystemError) {
    phase = .asking(isHead: isHead)
    deadline = now.advanced(by: Self.timeout)
    try loop.change(registration, to: .none)
  }

  private func reply(_ reply: HTTPReply, hasBody: Bool, at now: Instant) throws(SystemError) {
    output = reply.bytes(hasBody: hasBody)
    phase = .writing
    deadline = now.advanced(by: Self.timeout)
    try write(at: now)
  }

  private func write(at now: Instant) throws(SystemError) {
    let bytes = output
    while written < bytes.count {
      let count = try descriptor.write(bytes.span.extracting(written..<bytes.count))
      written += count
      guard count > 0 else { return try loop.change(registration, to: .writable) }
    }
    // Closing now would lose the reply if the client has sent more than was read (RFC 9112, 9.6).
    shutdown(descriptor.rawValue, CInt(SHUT_WR))
    phase = .leaving
    deadline = now.advanced(by: Self.closeTimeout)
    try loop.change(registration, to: .readable)
  }

  private func leave() throws(SystemError) {
    var storage = [UInt8](repeating: 0, count: HTTPRequest.limit)
    var space = storage.mutableSpan
    if case .end = try descriptor.read(into: &space) { throw ended }
  }

  private var ended: SystemError { SystemError(.connectionReset, "read from", descriptor.name) }
}
