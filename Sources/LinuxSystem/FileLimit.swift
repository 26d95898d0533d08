import Glibc

/// The limit on this process's open files and sockets: RLIMIT_NOFILE of setrlimit(2).
public enum FileLimit {
  /// Files that any program needs in addition.
  private static let reserve: UInt = 64

  /// Raises the process's limit to `count` open files plus a reserve, as far as the system allows.
  ///
  /// - Returns: How many files fit: `count`, or fewer if the system does not allow it.
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

  /// An unused descriptor, to close when the limit is reached and a file must be opened.
  package static func spareDescriptor() throws(SystemError) -> FileDescriptor {
    let path = "/dev/null"
    let number = try SystemCall.run("open", path) { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    return FileDescriptor(owning: number, name: path)
  }
}
