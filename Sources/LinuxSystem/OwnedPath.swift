import Glibc

/// The sole right to put a UNIX socket at a path, and to remove the one that was put there.
///
/// The right is a lock (flock(2)) on the file `.NAME.eightball-lock` beside the socket. The kernel
/// releases the lock when the process ends, in whatever way it ends. The file has the identity of
/// the socket that its owner made: a later program that gets the lock replaces that socket, and no
/// other.
struct OwnedPath: ~Copyable {
  private let path: String
  private let lock: LockFile
  /// The socket that this process made.
  private var socket: FileStatus?

  /// Takes the right, and removes the socket that a killed program left there.
  ///
  /// - Throws: `addressInUse` if somebody listens there; `fileExists` if there is anything else
  ///   that this program did not make, at the path or where the lock must be.
  init(_ path: String) throws(SystemError) {
    let lock = try LockFile(for: path)
    try Self.removeLeftover(path, identity: lock.legacy)
    self.path = path
    self.lock = lock
  }

  deinit {
    // Before the lock is released: until then, no other of our programs replaces the socket.
    if let socket, FileStatus(of: path) == socket { unsafe unlink(path) }
  }

  /// Notes the socket that has just been bound to the path as this process's own.
  ///
  /// - Throws: Why the identity cannot be kept; the socket is still removed at the end.
  mutating func claimSocket() throws(SystemError) {
    guard let made = FileStatus(of: path), made.kind == .socket, made.isOwn else {
      throw SystemError(
        .fileExists, "listen on", path, explanation: "another program has just replaced it")
    }
    socket = made
    try lock.write(made.identity)
  }

  private static func removeLeftover(_ path: String, identity: String) throws(SystemError) {
    guard let present = FileStatus(of: path) else { return }
    guard present.kind == .socket, present.isOwn else {
      throw SystemError(
        .fileExists, "listen on", path,
        explanation: "what is there is not a socket of this user; remove it, or use another path")
    }
    do throws(SystemError) {
      _ = try StreamSocket.connect(path: path)
    } catch {
      guard error.code == .connectionRefused else { throw error }
      guard present.identity == identity else {
        throw SystemError(
          .fileExists, "listen on", path,
          explanation: "there is a socket that this program did not make; remove it if no program "
            + "uses it, or use another path")
      }
      try SystemCall.run("replace", path) { unsafe unlink(path) }
      return
    }
    throw SystemError(.addressInUse, "listen on", path)
  }
}
