import Glibc
import Synchronization

/// Starts child processes, and ends those that still run when the panel ends.
final class AskChildren: Sendable {
  /// A child process, and this side's ends of its input and output.
  struct Child: Sendable {
    let process: pid_t
    let input: CInt
    let output: CInt
  }

  private let running = Mutex<Set<pid_t>>([])

  /// Ends all children, when the panel ends.
  func endAll() {
    running.withLock { for child in $0 { kill(child, SIGTERM) } }
  }

  /// Waits until the process has ended. Blocks.
  func reap(_ process: pid_t) {
    var status: CInt = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    _ = running.withLock { $0.remove(process) }
  }

  /// Starts a program; `nil` if that fails.
  func start(_ arguments: [String]) -> Child? {
    // One at a time, so that no other child inherits the pipes, and endAll() ends every child.
    running.withLock { running in
      guard let input = Self.pipe() else { return nil }
      guard let output = Self.pipe() else {
        Self.close(input)
        return nil
      }
      guard let process = spawn(arguments, input: input.reader, output: output.writer) else {
        Self.close(input)
        Self.close(output)
        return nil
      }
      Glibc.close(input.reader)
      Glibc.close(output.writer)
      running.insert(process)
      return Child(process: process, input: input.writer, output: output.reader)
    }
  }

  private typealias Pipe = (reader: CInt, writer: CInt)

  private static func pipe() -> Pipe? {
    var ends: [CInt] = [-1, -1]
    guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func close(_ pipe: Pipe) {
    Glibc.close(pipe.reader)
    Glibc.close(pipe.writer)
  }

  /// Creates the process, with this input and output; `nil` if that fails.
  private func spawn(_ arguments: [String], input: CInt, output: CInt) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
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
}

/// Closes the child's descriptors from this number on. The module Glibc does not have it; glibc has
/// since 2.34.
@_extern(c)
@discardableResult
private func posix_spawn_file_actions_addclosefrom_np(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: CInt
) -> CInt
