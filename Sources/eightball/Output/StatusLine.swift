import BallRunner
import BluetoothHost
import EightBall
import Glibc
import LinuxBoard

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
    text.write { compose(to: &$0) }
    writer.write(text.span.extracting(first: Self.length(of: text.span, columns: Self.columns)))
  }

  /// Writes the whole line, uncut.
  func compose(to writer: inout ByteWriter) {
    writer.write(text: "(8) ")
    if let answer { answer.text.writePrefix(to: &writer) } else { writer.write(text: "…") }
    writer.write(text: "   ")
    if case .compareNumber(let number)? = question() {
      writer.write(sixDigits: number)
      writer.write(text: "? [y]es [n]o   ")
    }
    write(lines.isLit(.status), "status  ", to: &writer)
    write(lines.isLit(.answer), "answer  ", to: &writer)
    if lines.has(.shake) { writer.write(text: lines.isDown(.shake) ? " [S]HAKE" : " [s]hake") }
    if lines.has(.clear) {
      writer.write(text: lines.isDown(.clear) ? " [C]LEAR" : " [c]lear")
      writer.write(text: " [C]lear held")
    }
    writer.write(text: " [q]uit")
  }

  private func write(_ isLit: Bool?, _ name: StaticString, to writer: inout ByteWriter) {
    guard let isLit else { return }
    writer.write(text: isLit ? "● " : "○ ")
    writer.write(text: name)
  }

  /// How many bytes of `text` fit into `columns`. All its characters are one column wide.
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
