import Glibc

/// Where the lines of a command go that runs no ball: results to stdout, progress to stderr.
enum Terminal {
  /// Prints a result. Once nothing reads the results any more there is no use in going on: the program
  /// is ended as a user would end it, in good order.
  static func print(_ line: String) {
    if !write(line, to: STDOUT_FILENO), errno == EPIPE { kill(getpid(), SIGTERM) }
  }

  /// Prints progress, or what went wrong.
  static func note(_ line: String) {
    _ = write(line, to: STDERR_FILENO)
  }

  /// Writes a whole line; `false`, with `errno` set, if that is not possible.
  private static func write(_ line: String, to descriptor: CInt) -> Bool {
    let bytes = Array((line + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count >= 0 {
        written += count
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
