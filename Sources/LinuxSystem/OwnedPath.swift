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

  /// Binds `descriptor` to the path and listens. The path has the socket once it listens, so that
  /// it never refuses a connection: the socket is bound to a name of its own, and linked.
  ///
  /// - Throws: `fileExists` if another program has made a file there meanwhile; why else the socket
  ///   cannot be made.
  mutating func listen(
    _ descriptor: borrowing FileDescriptor, backlog: CInt
  ) throws(SystemError) {
    let path = self.path
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    // Where the folder leaves less room, the name is shorter.
    let room = max(UnixAddress.longestPath - folder.utf8.count, 1)
    let name = String(UInt64.random(in: 0 ... .max), radix: 36).prefix(room)
    let number = descriptor.rawValue
    try UnixAddress(folder + name, shownAs: path).bind(descriptor)
    defer { _ = unsafe unlink(folder + name) }
    try SystemCall.run("listen on", path) { Glibc.listen(number, backlog) }
    try SystemCall.run("listen on", path) { unsafe link(folder + name, path) }
    try claimSocket()
  }

  /// Records the socket that this process has just made.
  ///
  /// - Throws: Why the identity cannot be written; the socket is still removed at the end.
  private mutating func claimSocket() throws(SystemError) {
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
