import Glibc

/// A stream to print to, such as standard output, whose writes do not block.
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

  /// How bytes are written without blocking.
  private enum Method {
    /// A regular file, or a device that takes everything at once.
    case plain
    /// A socket: each call has a nonblocking flag.
    case socket
    /// A pipe or terminal, opened a second time.
    case reopened
    /// A pipe or terminal that cannot be opened again: poll(2) precedes each small write.
    case polled
  }

  /// What a pipe or terminal takes at least when it is writable, in bytes.
  private static let portion = 256

  private let descriptor: FileDescriptor
  private let method: Method
  private let loop: EventLoop
  /// The loop has the descriptor only while bytes wait: otherwise a pipe without a reader would
  /// wake it again and again.
  private var registration: EventLoop.Registration?

  /// The stream that the descriptor `number` is open on, which stays open.
  public init(_ number: CInt, name: String, loop: EventLoop) throws(SystemError) {
    ignoreBrokenPipes()
    self.loop = loop
    let copy = FileDescriptor(
      owning: try SystemCall.run("use", name) { fcntl(number, F_DUPFD_CLOEXEC, 0) }, name: name)
    let kind = try FileStatus(of: copy).kind
    guard kind == .pipe || isatty(number) == 1 else {
      method = kind == .socket ? .socket : .plain
      descriptor = copy
      return
    }
    let second = Self.reopen(number)
    method = second >= 0 ? .reopened : .polled
    descriptor = second >= 0 ? FileDescriptor(owning: second, name: name) : copy
  }

  private static func reopen(_ number: CInt) -> CInt {
    unsafe open("/proc/self/fd/\(number)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
  }

  /// Why bytes were lost that the stream could not take; `nil` if none were.
  public private(set) var failure: SystemError?

  /// Whether the last write did not fit, and the loop waits for room.
  public var isBlocked: Bool { registration != nil }

  /// Writes as many of the first `bytes` as the stream takes without blocking.
  ///
  /// Bytes that cannot be written, such as to a full disk, are lost and count as taken: `failure`
  /// says why.
  public func write(_ bytes: Span<UInt8>) -> Result {
    if isBlocked { return .taken(0) }
    var written = 0
    while written < bytes.count {
      do throws(SystemError) {
        guard let count = try transfer(bytes.extracting(droppingFirst: written)) else {
          awaitRoom()
          break
        }
        written += count
      } catch {
        if error.code == .brokenPipe || error.code == .connectionReset { return .closed }
        failure = error
        return .taken(bytes.count)
      }
    }
    return .taken(written)
  }

  /// There is room, or the reader is gone: the next write shows which.
  public func handle(_ readiness: Readiness, token: Int) {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  /// Stops waking the loop.
  public func close() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  private func awaitRoom() {
    // Fails only if the kernel is out of memory. The bytes are then written with the next lines.
    registration = try? loop.add(descriptor, for: .writable, handler: self)
  }

  /// Writes without blocking; `nil` if there is no room.
  private func transfer(_ bytes: Span<UInt8>) throws(SystemError) -> Int? {
    let number = descriptor.rawValue
    let method = self.method
    if method == .polled {
      var wait = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&wait, 1, 0) > 0 else { return nil }
    }
    let bytes = method == .polled ? bytes.extracting(first: Self.portion) : bytes
    return try SystemCall.transfer("write to", descriptor.name) {
      unsafe bytes.withUnsafeBufferPointer { bytes in
        method == .socket
          ? unsafe send(
            number, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
          : unsafe Glibc.write(number, bytes.baseAddress, bytes.count)
      }
    }
  }
}
