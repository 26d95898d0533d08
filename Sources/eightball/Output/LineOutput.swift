import LinuxSystem

/// Queues lines for standard output while their reader is slow. The program does not block, so
/// signals still end it.
final class LineOutput {
  private let output: NonblockingOutput
  private var pending: [UInt8] = []

  /// Standard output.
  init(loop: EventLoop) throws(SystemError) {
    output = try NonblockingOutput(1, name: "standard output", loop: loop)
  }

  /// Whether every line has been written.
  var isEmpty: Bool { pending.isEmpty }

  /// Queues a line, given without its line feed.
  func print(_ line: String) {
    pending += line.utf8
    pending.append(UInt8(ascii: "\n"))
  }

  /// Writes what the output takes now; `false` if its reader has closed it, or it fails.
  func flush() -> Bool {
    guard !pending.isEmpty else { return true }
    switch output.write(pending.span) {
    case .taken(let count):
      pending.removeFirst(count)
      guard let failure = output.failure else { return true }
      Terminal.lose(failure.code.rawValue)
      return false
    case .closed:
      pending.removeAll()
      return false
    }
  }
}
