import Glibc
import Synchronization

/// Runs child processes and returns their last lines. Each runs on a thread that may block.
final class AskChildren: Sendable {
  /// How a child ended.
  enum End: Sendable {
    /// Its last line on stdout.
    case said(String)
    /// It printed nothing, for this reason.
    case silent(String)
  }

  /// How long a child may run, in milliseconds: longer than a central searches, connects and waits.
  private static let timeout: CInt = 30_000
  /// The most bytes that are read from a child.
  private static let mostBytes = 1 << 16

  private let running = Mutex<Set<pid_t>>([])

  /// Ends all children, when the panel ends.
  func endAll() {
    running.withLock { for child in $0 { kill(child, SIGTERM) } }
  }

  /// Runs a program to its end.
  func run(_ arguments: [String]) -> End {
    guard let (child, descriptor) = start(arguments) else {
      return .silent("\(arguments.first ?? "eightball") cannot be started.")
    }
    defer { close(descriptor) }
    let output = read(descriptor)
    // It closed its output and ends, or it took too long.
    if output == nil { kill(child, SIGKILL) }
    var status: CInt = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    _ = running.withLock { $0.remove(child) }
    let lines = String(decoding: output ?? [], as: UTF8.self).split(separator: "\n")
    if let last = lines.last { return .said(String(last)) }
    return .silent("eightball ask ended without an answer.")
  }

  /// Starts a program with its output in a pipe; `nil` if that fails.
  private func start(_ arguments: [String]) -> (child: pid_t, output: CInt)? {
    // One at a time, so that no other child inherits the pipe, and endAll() ends every child.
    running.withLock { running in
      var ends: [CInt] = [-1, -1]
      guard unsafe pipe(&ends) == 0 else { return nil }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      let child = spawn(arguments, output: ends[1])
      close(ends[1])
      guard let child else {
        close(ends[0])
        return nil
      }
      running.insert(child)
      return (child, ends[0])
    }
  }

  /// Creates the process, with empty input and this output; `nil` if that fails.
  private func spawn(_ arguments: [String], output: CInt) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    // SwiftNIO's sockets stay open in a child that gets them: after a crash of the panel, its port
    // and the pages' connections would be in use until the child ends.
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    // The panel blocks signals that the child needs, and ignores SIGPIPE.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var pipes = sigset_t()
    unsafe sigemptyset(&pipes)
    unsafe sigaddset(&pipes, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &pipes)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    var texts = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe texts.forEach { unsafe free($0) } }
    var child = pid_t()
    let status = unsafe posix_spawn(&child, arguments[0], &actions, &attributes, &texts, environ)
    return status == 0 ? child : nil
  }

  /// Reads to the end; `nil` if that takes too long, or there are too many bytes.
  private func read(_ descriptor: CInt) -> [UInt8]? {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4_096)
    let deadline = Self.milliseconds + Int(Self.timeout)
    while bytes.count < Self.mostBytes {
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = deadline - Self.milliseconds
      guard left > 0 else { return nil }
      guard unsafe poll(&wait, 1, CInt(left)) > 0 else { continue }
      let count = unsafe Glibc.read(descriptor, &part, part.count)
      if count == 0 { return bytes }
      if count > 0 { bytes += part.prefix(count) }
    }
    return nil
  }

  /// The monotonic clock.
  private static var milliseconds: Int {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1_000 + now.tv_nsec / 1_000_000
  }
}

/// Closes the child's descriptors from this number on. The module Glibc does not have it; glibc has
/// since 2.34.
@_extern(c)
@discardableResult
private func posix_spawn_file_actions_addclosefrom_np(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: CInt
) -> CInt
