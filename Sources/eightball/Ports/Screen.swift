import BallRunner
import BluetoothHost
import EightBall
import Glibc
import LinuxBoard
import LinuxPort

/// Prints the lines of a running ball above the line that draws it. Nothing here blocks.
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

  /// Whether the status line is on the terminal.
  private var isDrawn = false
  /// Whether the status line must be drawn again.
  private var isStale = false
  /// The part of the status line that the output has not taken.
  private var rest = ByteBuffer<512>()
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
      isDrawn = false
      isStale = false
      return
    }
    isStale = true
    guard finishDrawing(on: &port), !isBlocked else { return }
    isStale = false
    isDrawn = true
    rest.write { statusLine.draw(to: &$0) }
    _ = finishDrawing(on: &port)
  }

  /// Erases the status line, for another line; `false` if that would block.
  @discardableResult
  func erase(on port: inout LinuxPort) -> Bool {
    guard finishDrawing(on: &port) else { return false }
    guard isDrawn else { return true }
    isDrawn = false
    rest.write { $0.write(text: StatusLine.erasure) }
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

/// The ball on its virtual board, drawn in the last line of the terminal, below all others:
///
///     (8) Without a doubt.   ● status  ○ answer   [s]hake [c]lear [C]lear held [q]uit
final class StatusLine {
  /// Goes to the start of the line, and clears it. ECMA-48, 8.3.41.
  static let erasure: StaticString = "\r\u{1B}[K"

  /// The answer that the ball shows; `nil` for none.
  var answer: Answer?
  /// The pairing question for the user; `nil` for none.
  var question: () -> PairingPrompt? = { nil }
  /// Whether this program is in the terminal's foreground. Otherwise nothing is drawn.
  let isInFront: () -> Bool

  private let lines: VirtualLines

  /// The line for a board.
  init(_ lines: VirtualLines, isInFront: @escaping () -> Bool = { true }) {
    self.lines = lines
    self.isInFront = isInFront
  }

  /// Writes the line over the terminal's last one.
  func draw(to writer: inout ByteWriter) {
    writer.write(text: Self.erasure)
    var text = ByteBuffer<256>()
    text.write { compose(to: &$0, columns: Self.columns) }
    writer.write(text.span.extracting(first: Self.length(of: text.span, columns: Self.columns)))
  }

  /// Writes the line. If it is wider than `columns`, the keys come first: the lights lose their
  /// names, and the answer, which is printed above, is cut or left out.
  func compose(to writer: inout ByteWriter, columns: Int = .max) {
    var answer = ByteBuffer<64>()
    answer.write { writer in
      if let text = self.answer?.text {
        text.writePrefix(to: &writer)
      } else {
        writer.write(text: "…")
      }
    }
    var user = ByteBuffer<32>()
    user.write(writeQuestion)
    var lights = ByteBuffer<64>()
    lights.write { writeLights(to: &$0, isNamed: true) }
    var keys = ByteBuffer<64>()
    keys.write(writeKeys)
    writer.write(text: "(8)")
    let rest = columns.subtractingReportingOverflow(3 + Self.width(of: keys.span)).partialValue
    let userWidth = user.isEmpty ? 0 : Self.width(of: user.span) + 3
    if 4 + Self.width(of: answer.span) + userWidth + Self.width(of: lights.span) <= rest {
      writer.write(text: " ")
      writer.write(answer.span)
      writer.write(text: "   ")
      if !user.isEmpty {
        writer.write(user.span)
        writer.write(text: "   ")
      }
      writer.write(lights.span)
    } else if !user.isEmpty {
      writer.write(text: " ")
      writer.write(user.span)
      guard userWidth - 2 <= rest else { return }
    } else {
      var short = ByteBuffer<16>()
      short.write { writeLights(to: &$0, isNamed: false) }
      let room = rest - Self.width(of: short.span)
      // A space, a letter and the sign that more follows.
      if room >= 3 {
        writer.write(text: " ")
        let isCut = Self.width(of: answer.span) > room - 1
        let length = Self.length(of: answer.span, columns: isCut ? room - 2 : room - 1)
        writer.write(answer.span.extracting(first: length))
        if isCut { writer.write(text: "…") }
      }
      if room >= 0 { writer.write(short.span) }
    }
    writer.write(keys.span)
  }

  private func writeQuestion(to writer: inout ByteWriter) {
    guard case .compareNumber(let number)? = question() else { return }
    writer.write(sixDigits: number)
    writer.write(text: "? [y]es [n]o")
  }

  private func writeLights(to writer: inout ByteWriter, isNamed: Bool) {
    for light in [LightName.status, .answer] {
      guard let isLit = lines.isLit(light) else { continue }
      guard isNamed else {
        writer.write(text: isLit ? " ●" : " ○")
        continue
      }
      writer.write(text: isLit ? "● " : "○ ")
      writer.write(text: light == .status ? "status  " : "answer  ")
    }
  }

  /// Writes the keys of the buttons that the board has, each after a space.
  func writeKeys(to writer: inout ByteWriter) {
    if lines.has(.shake) { writer.write(text: lines.isDown(.shake) ? " [S]HAKE" : " [s]hake") }
    if lines.has(.clear) {
      writer.write(text: lines.isDown(.clear) ? " [C]LEAR" : " [c]lear")
      writer.write(text: " [C]lear held")
    }
    writer.write(text: " [q]uit")
  }

  /// How many columns `text` takes. All its characters are one column wide.
  private static func width(of text: Span<UInt8>) -> Int {
    var width = 0
    for index in text.indices where text[index] & 0xC0 != 0x80 { width += 1 }
    return width
  }

  /// How many bytes of `text` fit into `columns`.
  private static func length(of text: Span<UInt8>, columns: Int) -> Int {
    var column = 0
    for index in text.indices where text[index] & 0xC0 != 0x80 {
      if column == columns { return index }
      column += 1
    }
    return text.count
  }

  /// One column less than the terminal has: some start a new line when the last column is full.
  private static var columns: Int {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else {
      return 79
    }
    return Int(size.ws_col) - 1
  }
}
