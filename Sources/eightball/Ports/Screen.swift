import BallRunner
import BluetoothHost
import LinuxSystem

/// Prints the lines of a running ball above the line that draws it. Nothing here blocks.
final class Screen {
  /// Draws the ball; `nil` without a terminal.
  var statusLine: StatusLine?

  // `nil` if the stream was closed: its lines are lost.
  private let output: NonblockingOutput?
  private let errors: NonblockingOutput?
  /// Whether the last bytes end within a line, so that nothing else can be printed.
  private var isWithinLine = false
  private var isWithinError = false

  /// Whether the status line is on the terminal.
  private var isDrawn = false
  /// Whether the status line must be drawn again, because the output was full.
  private var isStale = false
  /// The part of the status line that the output has not taken.
  private var rest = ByteBuffer<512>()
  /// Lines about packets and captures, whose reader may be slow.
  private var notes = LineQueue<8_192>()

  /// A screen on this program's standard output and standard error.
  init(loop: EventLoop) {
    output = try? NonblockingOutput(1, name: "standard output", loop: loop)
    errors = try? NonblockingOutput(2, name: "standard error", loop: loop)
  }

  /// Prints as much of the ball's lines as the stream takes.
  func print(_ bytes: Span<UInt8>, to stream: OutputStream) -> PrintResult {
    if stream == .errors, !flushNotes() { return .taken(0) }
    guard erase() else { return .taken(0) }
    let result = (stream == .output ? output : errors)?.write(bytes) ?? .taken(bytes.count)
    guard case .taken(let count) = result else { return .closed }
    if count > 0 {
      let isWithin = bytes[count - 1] != UInt8(ascii: "\n")
      if stream == .output { isWithinLine = isWithin } else { isWithinError = isWithin }
    }
    draw()
    return .taken(count)
  }

  /// Prints a line to standard error. Queues it if the stream is full; counts it as lost if the
  /// queue is full.
  func note(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      let line = unsafe utf8.span
      notes.append { $0.write(line) }
    }
    _ = flushNotes()
  }

  /// Prints what the streams now take. Called in each turn of the loop.
  func advance() {
    if !notes.isEmpty { _ = flushNotes() }
    if !rest.isEmpty { _ = finishDrawing() }
    if isStale { draw() }
  }

  /// Removes the status line, and prints no more.
  func close() {
    _ = flushNotes()
    _ = erase()
    statusLine = nil
    output?.close()
    errors?.close()
  }

  // MARK: Notes

  /// Prints the queued lines. Returns whether the queue is empty.
  private func flushNotes() -> Bool {
    guard !notes.isEmpty else { return true }
    guard !isWithinError, erase() else { return false }
    while !notes.isEmpty {
      guard case .taken(let count) = errors?.write(notes.pending) ?? .closed else {
        notes.remove(.max)
        break
      }
      let isAll = count == notes.pending.count
      notes.remove(count)
      guard isAll else { break }
      notes.appendLoss { $0.writeLoss($1) }
    }
    draw()
    return notes.isEmpty
  }

  // MARK: The status line

  /// Draws the status line, later if the output is full.
  func draw() {
    guard let statusLine, !isWithinLine, !isWithinError else { return }
    guard statusLine.isInFront() else {
      isDrawn = false
      isStale = false
      return
    }
    isStale = true
    guard finishDrawing(), output?.isBlocked == false else { return }
    isStale = false
    isDrawn = true
    rest.write { statusLine.draw(to: &$0) }
    _ = finishDrawing()
  }

  /// Erases the status line, for another line; `false` if that would block.
  @discardableResult
  func erase() -> Bool {
    guard finishDrawing() else { return false }
    guard isDrawn else { return true }
    isDrawn = false
    rest.write { $0.write(text: StatusLine.erasure) }
    return finishDrawing()
  }

  /// Writes the rest of the status line. Returns whether all is written.
  private func finishDrawing() -> Bool {
    guard !rest.isEmpty else { return true }
    if case .taken(let count)? = output?.write(rest.span) {
      rest.removeFirst(count)
    } else {
      rest.removeAll()
    }
    return rest.isEmpty
  }
}
