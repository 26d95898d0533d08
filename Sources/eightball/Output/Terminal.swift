#if Tools
import Glibc

/// Where lines go: results to stdout, progress to stderr.
enum Terminal {
  /// What stays below all lines. Only the thread of the loop prints.
  private nonisolated(unsafe) static var footer: StatusLine?

  /// Keeps `footer` below all lines from now on; `nil` ends that.
  static func useFooter(_ footer: StatusLine?) {
    unsafe Self.footer?.erase()
    unsafe Self.footer = footer
  }

  /// Prints a result. Once nobody reads the results any more there is no use in going on: the
  /// program is told so as a user would tell it, and ends in good order.
  static func print(_ line: String) {
    var text = Line()
    text.append(line)
    print(&text)
  }

  /// Prints a result, as `print` of a text does, without heap calls.
  static func print(_ line: inout Line) {
    line.append("\n")
    unsafe footer?.erase()
    if !write(line, to: STDOUT_FILENO), errno == EPIPE { kill(getpid(), SIGTERM) }
    unsafe footer?.draw()
  }

  /// Prints progress, or what went wrong.
  static func note(_ text: String) {
    var line = Line()
    line.append(text)
    line.append("\n")
    unsafe footer?.erase()
    _ = write(line, to: STDERR_FILENO)
    unsafe footer?.draw()
  }

  /// Writes all of it; `false`, with `errno` set, if that cannot be.
  static func write(_ line: Line, to descriptor: CInt) -> Bool {
    var written = 0
    while written < line.bytes.count {
      let count = unsafe line.bytes.withUnsafeBytes { bytes in
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
#endif
