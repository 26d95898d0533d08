#if Tools
import EightBall
import Glibc
import LinuxBoard

/// The ball on its virtual board, drawn in the last line of the terminal, below all others:
///
///     (8) Without a doubt.   ● status  ○ answer   [s]hake [c]lear [C]lear held [q]uit
final class StatusLine {
  private let lines: VirtualLines
  private let isInFront: () -> Bool
  private var answer: Answer?
  private var line = Line()
  private var isDrawn = false

  /// - Parameter isInFront: Whether the terminal is this program's just now. Otherwise nothing is
  ///   drawn.
  init(_ lines: VirtualLines, isInFront: @escaping () -> Bool = { true }) {
    self.lines = lines
    self.isInFront = isInFront
  }

  /// The ball has given this answer; `nil` if it has forgotten all.
  func show(_ answer: Answer?) {
    self.answer = answer
    draw()
  }

  /// Draws it over what is there.
  func draw() {
    guard isInFront() else {
      isDrawn = false
      return
    }
    line.removeAll()
    line.append("\r\u{1B}[K")
    compose()
    cut(to: Self.columns)
    isDrawn = true
    _ = Terminal.write(line, to: STDOUT_FILENO)
  }

  /// Makes room for another line.
  func erase() {
    guard isDrawn else { return }
    isDrawn = false
    line.removeAll()
    line.append("\r\u{1B}[K")
    _ = Terminal.write(line, to: STDOUT_FILENO)
  }

  /// What is drawn, in a terminal that is wide enough.
  var text: String {
    line.removeAll()
    compose()
    return line.text
  }

  private func compose() {
    line.append("(8) ")
    if let answer { line.append(answer) } else { line.append("…") }
    line.append("   ")
    append(lines.isLit(.status), "status  ")
    append(lines.isLit(.answer), "answer  ")
    if lines.has(.shake) { line.append(lines.isDown(.shake) ? " [S]HAKE" : " [s]hake") }
    if lines.has(.clear) {
      line.append(lines.isDown(.clear) ? " [C]LEAR" : " [c]lear")
      line.append(" [C]lear held")
    }
    line.append(" [q]uit")
  }

  private func append(_ isLit: Bool?, _ name: String) {
    guard let isLit else { return }
    line.append(isLit ? "● " : "○ ")
    line.append(name)
  }

  /// Cuts it where the terminal would begin another line. All its characters are one column wide.
  private func cut(to columns: Int) {
    var column = 0
    // The control sequence in front takes no room.
    for index in line.bytes.indices.dropFirst(4) where line.bytes[index] & 0xC0 != 0x80 {
      if column == columns { return line.cut(to: index) }
      column += 1
    }
  }

  /// One less than the terminal has: some begin a new line when the last one is full.
  private static var columns: Int {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else {
      return 79
    }
    return Int(size.ws_col) - 1
  }
}
#endif
