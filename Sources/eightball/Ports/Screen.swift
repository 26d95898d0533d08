import BallRunner
import BluetoothHost
import LinuxSystem

/// Where the lines of a running ball go, above the line that draws the ball. Nothing here waits.
final class Screen {
  /// Draws the ball; `nil` where there is no such line.
  var statusLine: StatusLine?

  // `nil` where the stream has been closed: its lines are lost.
  private let output: NonblockingOutput?
  private let errors: NonblockingOutput?
  /// Whether the last bytes of the ball end within a line, so that nothing else can be printed.
  private var isWithinLine = false
  private var isWithinError = false

  /// Whether the status line is on the terminal.
  private var isDrawn = false
  /// Whether it is not as it should be, for there was no room.
  private var isStale = false
  /// What has not been taken of the status line.
  private var rest = ByteBuffer<512>()
  /// Lines about packets and captures. Their reader may be slow, too.
  private var notes = LineQueue<8_192>()

  /// The streams of this program.
  init(loop: EventLoop) {
    output = try? NonblockingOutput(1, name: "standard output", loop: loop)
    errors = try? NonblockingOutput(2, name: "standard error", loop: loop)
  }

  /// Prints what is taken of the ball's lines.
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

  /// Prints a line about packets to standard error, or later, or counts it if too many wait.
  func note(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      let line = unsafe utf8.span
      notes.append { $0.write(line) }
    }
    _ = flushNotes()
  }

  /// Prints what there is room for by now. Called in each turn of the loop.
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

  /// Prints the lines that wait; whether none is left.
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

  /// Draws the status line over what is there; later, if there is no room.
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

  /// Makes room for another line; `false` if that is not possible without waiting.
  @discardableResult
  func erase() -> Bool {
    guard finishDrawing() else { return false }
    guard isDrawn else { return true }
    isDrawn = false
    rest.write { $0.write(text: StatusLine.erasure) }
    return finishDrawing()
  }

  /// Writes the rest of what has been drawn; whether nothing is left of it.
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
