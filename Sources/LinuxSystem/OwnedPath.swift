import Glibc

/// The sole right to put a UNIX socket at a path.
///
/// The right is a lock on the file `PATH.lock`. The kernel drops it with the process, however the
/// process ends, so a lock that can be had means that whatever socket is there is a leftover of
/// one of us: two programs that find a leftover at the same moment cannot both replace it.
struct OwnedPath: ~Copyable {
  private let path: String
  private let lock: FileDescriptor

  /// Takes the right, and removes a leftover.
  ///
  /// - Throws: `addressInUse` if somebody listens there; `fileExists` if what is there is no
  ///   socket, or another user's.
  init(_ path: String) throws(SystemError) {
    let lock = try Self.lock(path)
    do throws(SystemError) {
      try Self.removeLeftover(path)
    } catch {
      unsafe unlink(path + ".lock")
      throw error
    }
    self.path = path
    self.lock = lock
  }

  deinit {
    // The socket first: while the lock is held, it is ours.
    unsafe unlink(path)
    unsafe unlink(path + ".lock")
  }

  private static func lock(_ path: String) throws(SystemError) -> FileDescriptor {
    let lockPath = path + ".lock"
    while true {
      let number = try SystemCall.run("open", lockPath) {
        unsafe open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      }
      let descriptor = FileDescriptor(owning: number, name: lockPath)
      do throws(SystemError) {
        try SystemCall.run("lock", lockPath) { flock(number, LOCK_EX | LOCK_NB) }
      } catch {
        guard error.code == .wouldBlock else { throw error }
        throw SystemError(.addressInUse, "listen on", path)
      }
      // The one who had it before may have removed the file since it was opened here.
      var opened = stat()
      var present = stat()
      if unsafe fstat(number, &opened) == 0, unsafe stat(lockPath, &present) == 0,
        opened.st_ino == present.st_ino, opened.st_dev == present.st_dev
      {
        return descriptor
      }
    }
  }

  private static func removeLeftover(_ path: String) throws(SystemError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
      throw SystemError(
        .fileExists, "listen on", path,
        explanation: "what is there is not a socket of this user")
    }
    do throws(SystemError) {
      _ = try StreamSocket.connect(path: path)
    } catch {
      guard error.code == .connectionRefused else { throw error }
      try SystemCall.run("replace", path) { unsafe unlink(path) }
      return
    }
    throw SystemError(.addressInUse, "listen on", path)
  }
}
