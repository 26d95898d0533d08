import Glibc

/// A stream to print to, such as standard output, that never makes its loop wait.
///
/// Other programs have the stream as well, such as the shell, so its own flags stay as they are: a pipe
/// or a terminal is opened a second time.
public final class NonblockingOutput: EventHandler {
  /// What has become of a write.
  public enum Result: Equatable, Sendable {
    /// So many bytes were taken. If that is not all, the loop wakes when there is room.
    case taken(Int)
    /// Nothing reads the stream any more.
    case closed
  }

  /// How bytes are written without waiting.
  private enum Way {
    /// A regular file, or a device that takes all at once.
    case plain
    /// A socket: each call says that it does not wait.
    case socket
    /// A pipe or terminal, opened a second time.
    case reopened
    /// A pipe or terminal that cannot be opened again: before each small write, it is asked for room.
    case asked
  }

  /// What a pipe or terminal surely takes when it says that it has room, in bytes.
  private static let portion = 256

  private let descriptor: FileDescriptor
  private let way: Way
  private let loop: EventLoop
  /// The loop has the descriptor while bytes wait, and not longer: it would say again and again that
  /// nothing reads a pipe.
  private var registration: EventLoop.Registration?

  /// The stream that the descriptor `number` is open on, which stays open.
  public init(_ number: CInt, name: String, loop: EventLoop) throws(SystemError) {
    ignoreBrokenPipes()
    self.loop = loop
    let copy = FileDescriptor(
      owning: try SystemCall.run("use", name) { fcntl(number, F_DUPFD_CLOEXEC, 0) }, name: name)
    let kind = try FileStatus(of: copy).kind
    guard kind == .pipe || isatty(number) == 1 else {
      way = kind == .socket ? .socket : .plain
      descriptor = copy
      return
    }
    let second = Self.reopen(number)
    way = second >= 0 ? .reopened : .asked
    descriptor = second >= 0 ? FileDescriptor(owning: second, name: name) : copy
  }

  private static func reopen(_ number: CInt) -> CInt {
    unsafe open("/proc/self/fd/\(number)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
  }

  /// Whether it takes nothing now, as far as is known.
  public var isBlocked: Bool { registration != nil }

  /// Writes the first of `bytes`, as many as are taken without waiting.
  ///
  /// What cannot be kept anywhere, such as on a full disk, is lost, and counts as taken.
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
        return error.code == .brokenPipe || error.code == .connectionReset
          ? .closed : .taken(bytes.count)
      }
    }
    return .taken(written)
  }

  /// There is room, or nothing reads any more: the next write finds out.
  public func handle(_ readiness: Readiness, token: Int) {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  /// Wakes the loop no more.
  public func close() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  private func awaitRoom() {
    // Only a kernel without memory refuses. What waits is then written with the next lines.
    registration = try? loop.add(descriptor, for: .writable, handler: self)
  }

  /// Writes without waiting; `nil` if there is no room.
  private func transfer(_ bytes: Span<UInt8>) throws(SystemError) -> Int? {
    let number = descriptor.rawValue
    let way = self.way
    if way == .asked {
      var wait = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&wait, 1, 0) > 0 else { return nil }
    }
    let bytes = way == .asked ? bytes.extracting(first: Self.portion) : bytes
    return try SystemCall.transfer("write to", descriptor.name) {
      unsafe bytes.withUnsafeBufferPointer { bytes in
        way == .socket
          ? unsafe send(
            number, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
          : unsafe Glibc.write(number, bytes.baseAddress, bytes.count)
      }
    }
  }
}
