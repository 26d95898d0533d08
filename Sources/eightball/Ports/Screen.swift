import BallRunner
import BluetoothHost
import LinuxPort

/// Prints the lines of a running ball above the line that draws it, and above the picture of its display if there is
/// one. Nothing here blocks.
///
/// `note` and `draw` only queue: the port calls `flush` in each turn.
final class Screen {
  /// Draws the ball; `nil` without a terminal.
  var statusLine: StatusLine?

  /// Whether the last bytes end within a line, so that nothing else can be printed.
  private var isWithinLine = false
  private var isWithinError = false
  /// Whether standard output took less than it was given in this turn.
  private var isBlocked = false

  /// The status line and the picture on the terminal; `nil` if they are not there.
  private var drawn: Drawing?
  /// Whether the status line must be drawn again.
  private var isStale = false
  /// The part of the status line and the picture that the output has not taken. A picture has at most 3,742 bytes: 2 rows
  /// of 199, and 16 of 209 with 64 Braille characters, if it is dim.
  private var rest = ByteBuffer<4_608>()
  /// Lines about packets and captures, whose reader may be slow.
  private var notes = LineQueue<8_192>()

  /// Whether there is something to print.
  var hasNotes: Bool { !notes.isEmpty }

  /// Prints as much of the ball's lines as the stream takes.
  func print(
    _ bytes: Span<UInt8>, to stream: OutputStream, on port: inout LinuxPort
  ) -> PrintResult {
    if stream == .errors, !flushNotes(to: &port) { return .taken(0) }
    guard erase(on: &port) else { return .taken(0) }
    let result = port.print(bytes, to: stream)
    guard case .taken(let count) = result else { return .closed }
    if stream == .output, count < bytes.count { isBlocked = true }
    if count > 0 {
      let isWithin = bytes[count - 1] != UInt8(ascii: "\n")
      if stream == .output { isWithinLine = isWithin } else { isWithinError = isWithin }
    }
    redraw(on: &port)
    return .taken(count)
  }

  /// Queues a line for standard error; counts it as lost if the queue is full.
  func note(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      let line = unsafe utf8.span
      notes.append { $0.write(line) }
    }
  }

  /// Draws the status line in the next `flush`.
  func draw() { isStale = true }

  /// Prints what the streams now take.
  func flush(to port: inout LinuxPort) {
    isBlocked = false
    if !notes.isEmpty { _ = flushNotes(to: &port) }
    if !rest.isEmpty { _ = finishDrawing(on: &port) }
    if isStale { redraw(on: &port) }
  }

  /// Removes the status line, and prints no more.
  func close(on port: inout LinuxPort) {
    isBlocked = false
    _ = flushNotes(to: &port)
    _ = erase(on: &port)
    statusLine = nil
  }

  /// Prints the queued lines. Returns whether the queue is empty.
  func flushNotes(to port: inout LinuxPort) -> Bool {
    guard !notes.isEmpty else { return true }
    guard !isWithinError, erase(on: &port) else { return false }
    while !notes.isEmpty {
      guard case .taken(let count) = port.print(notes.pending, to: .errors) else {
        notes.remove(.max)
        break
      }
      let isAll = count == notes.pending.count
      notes.remove(count)
      guard isAll else { break }
      notes.appendLoss { $0.writeLoss($1) }
    }
    redraw(on: &port)
    return notes.isEmpty
  }

  // MARK: The status line

  /// Draws the status line, later if the output is full.
  private func redraw(on port: inout LinuxPort) {
    guard let statusLine, !isWithinLine, !isWithinError else { return }
    guard statusLine.isInFront() else {
      drawn = nil
      isStale = false
      return
    }
    isStale = true
    guard finishDrawing(on: &port), !isBlocked else { return }
    isStale = false
    let size = TerminalSize.ofOutput
    rest.write { drawn = statusLine.draw(over: drawn, in: size, to: &$0) }
    _ = finishDrawing(on: &port)
  }

  /// Erases the status line and the picture, for another line; `false` if that would block.
  @discardableResult
  func erase(on port: inout LinuxPort) -> Bool {
    guard finishDrawing(on: &port) else { return false }
    guard let drawn else { return true }
    self.drawn = nil
    let size = TerminalSize.ofOutput
    rest.write { drawn.erase(in: size, to: &$0) }
    return finishDrawing(on: &port)
  }

  /// Writes the rest of the status line. Returns whether all is written.
  private func finishDrawing(on port: inout LinuxPort) -> Bool {
    guard !rest.isEmpty else { return true }
    if case .taken(let count) = port.print(rest.span, to: .output) {
      if count < rest.count { isBlocked = true }
      rest.removeFirst(count)
    } else {
      rest.removeAll()
    }
    return rest.isEmpty
  }
}
