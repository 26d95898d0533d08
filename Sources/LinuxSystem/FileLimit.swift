import Glibc

/// How many files, sockets included, this process may have open: RLIMIT_NOFILE of setrlimit(2).
public enum FileLimit {
  /// Files that a program needs besides those that it makes room for.
  private static let reserve: UInt = 64

  /// Makes room for `count` open files, and for a few more that any program needs: raises the
  /// process's limit, as far as the system allows.
  ///
  /// - Returns: How many there is room for: `count`, or fewer if the system allows no more.
  public static func makeRoom(for count: Int) -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0 else { return count }
    let needed = UInt(max(count, 0)) + reserve
    if limit.rlim_cur < needed {
      let allowed = min(needed, limit.rlim_max)
      var raised = limit
      raised.rlim_cur = allowed
      if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
    }
    guard limit.rlim_cur < needed else { return count }
    return limit.rlim_cur > reserve ? Int(limit.rlim_cur - reserve) : 0
  }

  /// A descriptor of nothing, to be closed when a file must be opened and no more may be.
  package static func spareDescriptor() throws(SystemError) -> FileDescriptor {
    let path = "/dev/null"
    let number = try SystemCall.run("open", path) { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    return FileDescriptor(owning: number, name: path)
  }
}

extension Errno {
  /// EMFILE: this process may open no more files.
  package static let tooManyOpenFiles = Errno(rawValue: EMFILE)
}
