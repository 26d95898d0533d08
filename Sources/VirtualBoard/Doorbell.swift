import Glibc

/// A descriptor that is readable on demand: a pipe with one byte or none.
struct Doorbell: ~Copyable {
  /// The end that a loop waits for.
  let descriptor: CInt
  private let button: CInt
  private var isRinging = false

  init() throws(GPIOError) {
    var ends: [CInt] = [-1, -1]
    let result = unsafe pipe(&ends)
    guard result == 0 else { throw .tooManyFiles }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    descriptor = ends[0]
    button = ends[1]
  }

  deinit {
    close(descriptor)
    close(button)
  }

  /// Makes the descriptor readable, or not.
  mutating func ring(_ isWanted: Bool) {
    guard isWanted != isRinging else { return }
    isRinging = isWanted
    var byte: UInt8 = 1
    // Neither call blocks: the pipe is empty before a write, and has a byte before a read.
    if isWanted {
      _ = unsafe write(button, &byte, 1)
    } else {
      _ = unsafe read(descriptor, &byte, 1)
    }
  }
}
