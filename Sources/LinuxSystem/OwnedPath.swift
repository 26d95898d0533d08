import Glibc

/// The exclusive right to create a UNIX socket at a path, and to remove it.
///
/// The right is a lock (flock(2)) on the file `.NAME.eightball-lock` beside the socket. The kernel
/// releases the lock when the process ends, however it ends. The file has the identity of the
/// socket that its owner created: the next owner of the lock replaces only that socket.
struct OwnedPath: ~Copyable {
  private let path: String
  private let lock: LockFile
  /// The socket that this process created.
  private var socket: FileStatus?

  /// Takes the right, and removes the socket that a killed program left.
  ///
  /// - Parameter replacesAll: Whether to remove any socket of this user that no program listens on;
  ///   if not, only one that this program created.
  /// - Throws: `addressInUse` if a program listens there; `fileExists` if the path or the lock's
  ///   path has a file that this program did not create.
  init(_ path: String, replacesAll: Bool = false) throws(SystemError) {
    let lock = try Self.lock(path)
    try Self.removeLeftover(path, identity: replacesAll ? nil : lock.lastText)
    self.path = path
    self.lock = lock
  }

  deinit {
    // Removed before the lock is released: until then, no other owner replaces the socket.
    if let socket, FileStatus(of: path) == socket { unsafe unlink(path) }
  }

  /// Records the socket that this process has just bound to the path.
  ///
  /// - Throws: Why the identity cannot be written; the socket is still removed at the end.
  mutating func claimSocket() throws(SystemError) {
    guard let made = FileStatus(of: path), made.kind == .socket, made.isOwn else {
      throw SystemError(
        .fileExists, "listen on", path, explanation: "another program has just replaced it")
    }
    socket = made
    try lock.write(made.identity)
  }

  private static func lock(_ path: String) throws(SystemError) -> LockFile {
    do throws(SystemError) {
      return try LockFile(for: path)
    } catch {
      // The user has named the socket, not the lock.
      guard error.code == .noSuchFile else { throw error }
      throw SystemError(.noSuchFile, "listen on", path, explanation: "its folder does not exist")
    }
  }

  private static func removeLeftover(_ path: String, identity: String?) throws(SystemError) {
    guard let present = FileStatus(of: path) else { return }
    guard present.kind == .socket, present.isOwn else {
      throw SystemError(
        .fileExists, "listen on", path,
        explanation: "it is not a socket of this user; remove it, or use another path")
    }
    do throws(SystemError) {
      _ = try StreamSocket.connect(path: path)
    } catch {
      guard error.code == .connectionRefused else { throw error }
      guard identity == nil || present.identity == identity else {
        throw SystemError(
          .fileExists, "listen on", path,
          explanation: "this program did not create that socket; remove it if no program uses it, "
            + "or use another path")
      }
      try SystemCall.run("replace", path) { unsafe unlink(path) }
      return
    }
    throw SystemError(.addressInUse, "listen on", path)
  }
}
