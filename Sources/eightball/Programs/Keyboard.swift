import Glibc
import LinuxSystem

/// The keys that are pressed on a terminal, each when it is pressed and without an echo.
final class Keyboard: EventHandler {
  private let descriptor: FileDescriptor
  private let loop: EventLoop
  private let onKey: (Unicode.Scalar) -> Void
  private var registration: EventLoop.Registration?
  private var settings = termios()

  /// Takes the keys of standard input; `nil` unless it and standard output are a terminal, and
  /// this program is the one in front.
  init?(loop: EventLoop, onKey: @escaping (Unicode.Scalar) -> Void) throws(SystemError) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      tcgetpgrp(STDIN_FILENO) == getpgrp()
    else { return nil }
    self.loop = loop
    self.onKey = onKey
    descriptor = FileDescriptor(owning: dup(STDIN_FILENO), name: "the keyboard")
    guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    var raw = settings
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard unsafe tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0 else { return nil }
    do throws(SystemError) {
      registration = try loop.add(descriptor, for: .readable, handler: self)
    } catch {
      close()
      throw error
    }
  }

  /// Gives the terminal back as it was.
  func close() {
    if let registration { loop.remove(registration) }
    registration = nil
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  func handle(_ readiness: Readiness, token: Int) {
    var storage = InlineArray<16, UInt8>(repeating: 0)
    var space = storage.mutableSpan
    // It blocks, but not while it is readable.
    guard case .bytes(let count) = (try? descriptor.read(into: &space)) ?? .end else {
      if let registration { loop.remove(registration) }
      registration = nil
      return
    }
    // More than one byte at once that begins with Escape is one of the other keys, such as an
    // arrow, not letters.
    guard storage[0] != 0x1B else { return }
    for index in 0..<count { onKey(Unicode.Scalar(storage[index])) }
  }
}
