import Glibc
import Linux

/// Starts programs: posix_spawn(3).
public enum ChildProcess {
  /// Starts the program `arguments[0]`, and returns its process. It begins without blocked signals.
  ///
  /// - Parameter descriptors: What the program has open, from 0 on; it has nothing else of this
  ///   process. Each is above 2, or its own number.
  public static func start(
    _ arguments: [String], descriptors: [CInt]
  ) throws(SystemError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in descriptors.enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, CInt(number))
    }
    // A socket without FD_CLOEXEC would otherwise be in use until the child ends.
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, CInt(descriptors.count))
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    // This process ignores SIGPIPE.
    var pipes = sigset_t()
    unsafe sigemptyset(&pipes)
    unsafe sigaddset(&pipes, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &pipes)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    var texts = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe texts.forEach { unsafe free($0) } }
    var child = pid_t()
    let code = unsafe posix_spawn(&child, arguments[0], &actions, &attributes, &texts, environ)
    guard code == 0 else { throw SystemError(ErrorNumber(rawValue: code), "start", arguments[0]) }
    return child
  }

  /// Waits until a child has ended. Blocks.
  public static func reap(_ process: pid_t) {
    var status: CInt = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  /// A pipe whose ends a started program does not inherit.
  public static func pipe() throws(SystemError) -> (reader: CInt, writer: CInt) {
    var ends: [CInt] = [-1, -1]
    try SystemCall.run("make", "a pipe") { unsafe Glibc.pipe(&ends) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}

/// Closes the child's descriptors from this number on. The module Glibc does not have it; glibc has
/// since 2.34.
@_extern(c)
@discardableResult
private func posix_spawn_file_actions_addclosefrom_np(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: CInt
) -> CInt
