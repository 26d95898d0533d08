import Linux

/// A stream to print to, such as standard output, whose writes do not block, in an event loop.
///
/// Other programs, such as the shell, share the stream, so its flags stay unchanged: a pipe or a
/// terminal is opened a second time.
public final class NonblockingOutput: EventHandler {
  /// The result of a write.
  public enum Result: Equatable, Sendable {
    /// This many bytes were taken. If not all were, the loop wakes when there is room.
    case taken(Int)
    /// The stream has no reader any more.
    case closed
  }

  private var output: PortOutput
  private let name: String
  private let loop: EventLoop
  private let token: PollToken

  /// The stream that the descriptor `number` is open on, which stays open.
  public init(_ number: Int32, name: String, loop: EventLoop) throws(SystemError) {
    guard clinux_kind(number) >= 0 else {
      throw SystemError(ErrorNumber(clinux_kind(number)), "use", name)
    }
    self.loop = loop
    self.name = name
    token = loop.reserve()
    output = PortOutput(number, token)
  }

  deinit { close() }

  /// Why bytes were lost that the stream could not take; `nil` if none were.
  public var failure: SystemError? { output.failure.map { SystemError($0, "write to", name) } }

  /// Whether the last write did not fit, and the loop waits for room.
  public var isBlocked: Bool { output.isBlocked }

  /// Writes as many of the first `bytes` as the stream takes without blocking.
  ///
  /// Bytes that cannot be written, such as to a full disk, are lost and count as taken: `failure`
  /// says why.
  public func write(_ bytes: Span<UInt8>) -> Result {
    if isBlocked { return .taken(0) }
    let result = output.print(bytes, loop.queue)
    // The loop retains its handlers: this one only while bytes wait.
    if isBlocked { loop.set(token, to: self) }
    return switch result {
    case .taken(let count): .taken(count)
    case .closed: .closed
    }
  }

  /// There is room, or the reader is gone: the next write shows which.
  public func handle(_ readiness: Readiness, token: Int) {
    output.handle()
    loop.set(self.token, to: nil)
  }

  /// Stops waking the loop.
  public func close() {
    output.close(loop.queue)
    loop.release(token)
  }
}
