import BluetoothHost
import Glibc
import LinuxSystem

/// Lines of standard input, while a radio is served.
final class InputLines: EventHandler {
  /// A line, or the end of the input.
  struct Line {
    /// The bytes, without the line feed; `nil` at the end.
    var bytes: [UInt8]?
  }

  private let loop: EventLoop
  private let descriptor = FileDescriptor(owning: dup(STDIN_FILENO), name: "standard input")
  private var registration: EventLoop.Registration?
  /// Whether a read would find bytes or the end.
  private var isReadable = false
  /// Whether the kernel cannot watch it: a file is always readable.
  private var isFile = false
  private var pending: [UInt8] = []
  private var hasEnded = false
  private var hasReportedEnd = false

  /// Whether the loop wakes when there is something to read.
  var isWatched = false {
    didSet {
      guard isWatched != oldValue else { return }
      if isWatched { watch() } else { unwatch() }
    }
  }

  /// Reads nothing yet.
  init(loop: EventLoop) {
    self.loop = loop
  }

  /// Whether `next` has a line, or `read` would find one.
  var hasLines: Bool {
    isWatched && !hasReportedEnd
      && (isFile || hasEnded || pending.contains(UInt8(ascii: "\n")))
  }

  /// Reads what is there.
  func read() {
    guard isWatched, isReadable || isFile, !hasEnded else { return }
    isReadable = false
    var storage = InlineArray<1_024, UInt8>(repeating: 0)
    var space = storage.mutableSpan
    // It does not block: the kernel has reported bytes, or the end.
    guard case .bytes(let count) = (try? descriptor.read(into: &space)) ?? .end else {
      hasEnded = true
      return unwatch()
    }
    for index in 0..<count { pending.append(storage[index]) }
  }

  /// The next line, or once the end; `nil` if more must be read. Of a line that is longer than any
  /// question, only the beginning is returned.
  func next() -> Line? {
    if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(pending[..<end].prefix(maximumAttributeValueLength + 1))
      pending.removeFirst(end + 1)
      return Line(bytes: line)
    }
    guard hasEnded, !hasReportedEnd else {
      let surplus = pending.count - (maximumAttributeValueLength + 1)
      if surplus > 0 { pending.removeLast(surplus) }
      return nil
    }
    guard pending.isEmpty else {
      defer { pending = [] }
      return Line(bytes: pending)
    }
    hasReportedEnd = true
    return Line(bytes: nil)
  }

  func handle(_ readiness: Readiness, token: Int) { isReadable = true }

  private func watch() {
    guard !hasEnded else { return }
    registration = try? loop.add(descriptor, for: .readable, handler: self)
    isFile = registration == nil
  }

  private func unwatch() {
    if let registration { loop.remove(registration) }
    registration = nil
  }
}
