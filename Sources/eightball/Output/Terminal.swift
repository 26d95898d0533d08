import Glibc

/// Where lines go: results to stdout, progress to stderr.
enum Terminal {
  /// Prints a result. Once nobody reads the results any more there is no use in going on: the
  /// program is told so as a user would tell it, and ends in good order.
  static func print(_ line: String) {
    if !write(line, to: STDOUT_FILENO), errno == EPIPE { kill(getpid(), SIGTERM) }
  }

  /// Prints progress, or what went wrong.
  static func note(_ line: String) {
    _ = write(line, to: STDERR_FILENO)
  }

  /// Writes all of it; `false`, with `errno` set, if that cannot be.
  private static func write(_ line: String, to descriptor: CInt) -> Bool {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        waitUntilWritable(descriptor)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  private static func waitUntilWritable(_ descriptor: CInt) {
    var descriptors = pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0)
    _ = unsafe poll(&descriptors, 1, -1)
  }
}
