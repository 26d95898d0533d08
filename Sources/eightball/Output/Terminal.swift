import Glibc

/// The output of a command that runs no ball: results to stdout, progress to stderr.
enum Terminal {
  /// Prints a result. If the reader has closed the output, the program ends as if by SIGTERM.
  static func print(_ line: String) {
    if !write(line, to: STDOUT_FILENO), errno == EPIPE { kill(getpid(), SIGTERM) }
  }

  /// Prints progress or an error.
  static func note(_ line: String) {
    _ = write(line, to: STDERR_FILENO)
  }

  /// Writes a whole line; `false`, with `errno` set, if that fails.
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
