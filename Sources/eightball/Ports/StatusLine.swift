import BallRunner
import BluetoothHost
import EightBall
import VirtualBoard

/// The ball on its virtual board, drawn in the last line of the terminal, below all others:
///
///     (8) Without a doubt.   ● status  ○ answer   [s]hake [c]lear [C]lear held [q]uit
///
/// In a large terminal the display of the board is above it.
final class StatusLine {
  /// Goes to the start of the line, and clears it. ECMA-48, 8.3.41.
  static let erasure: StaticString = "\r\u{1B}[K"

  /// The answer that the ball shows; `nil` for none.
  var answer: Answer?
  /// The pairing question for the user; `nil` for none.
  var question: () -> PairingPrompt? = { nil }
  /// Whether this program is in the terminal's foreground. Otherwise nothing is drawn.
  let isInFront: () -> Bool
  /// What the board's display shows; `nil` without a display.
  var picture: PictureFrame?
  /// Whether the user has hidden the display.
  var isPictureHidden = false

  private let lines: VirtualLines
  private let hasMotionSensor: Bool

  /// The line for a board.
  init(
    _ lines: VirtualLines, hasMotionSensor: Bool = false,
    isInFront: @escaping () -> Bool = { true }
  ) {
    self.lines = lines
    self.hasMotionSensor = hasMotionSensor
    self.isInFront = isInFront
  }

  /// Writes the line over the terminal's last one, and the picture above it if it has changed.
  ///
  /// - Parameters:
  ///   - old: What is on the terminal.
  ///   - size: The terminal's size.
  /// - Returns: What is on the terminal then.
  func draw(
    over old: Drawing?, in size: TerminalSize, to writer: inout ByteWriter
  ) -> Drawing {
    let fitting = picture.flatMap { $0.fits(size) ? $0 : nil }
    let shown = isPictureHidden ? nil : fitting
    // Some terminals start a new line when the last column is full.
    let columns = size.columns - 1
    var text = ByteBuffer<256>()
    text.write { compose(to: &$0, columns: columns, hasDisplay: fitting != nil) }
    let line = text.span.extracting(first: Self.length(of: text.span, columns: columns))
    if old?.picture != shown {
      old?.erase(in: size, to: &writer)
      for row in shown?.rows ?? [] {
        writer.write(Array("\(row)\n".utf8).span)
      }
    }
    writer.write(text: Self.erasure)
    writer.write(line)
    return Drawing(picture: shown, width: max(Self.width(of: line), shown?.columns ?? 0))
  }

  /// Writes the line. If it is wider than `columns`, the keys come first: the lights lose their
  /// names, and the answer, which is printed above, is cut or left out.
  ///
  /// - Parameter hasDisplay: Whether the terminal has room for the display.
  func compose(to writer: inout ByteWriter, columns: Int = .max, hasDisplay: Bool = false) {
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
    keys.write { writeKeys(to: &$0, hasDisplay: hasDisplay) }
    if 3 + Self.width(of: keys.span) > columns {
      keys.write { writeKeys(to: &$0, isShort: true) }
    }
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

  /// Writes the keys of the buttons and the parts that the board has, each after a space.
  ///
  /// - Parameters:
  ///   - hasDisplay: Whether the display can be shown.
  ///   - isShort: Whether only those of the buttons have room.
  func writeKeys(to writer: inout ByteWriter, hasDisplay: Bool = false, isShort: Bool = false) {
    if lines.has(.shake) { writer.write(text: lines.isDown(.shake) ? " [S]HAKE" : " [s]hake") }
    if lines.has(.clear) {
      writer.write(text: lines.isDown(.clear) ? " [C]LEAR" : " [c]lear")
      writer.write(text: " [C]lear held")
    }
    if hasMotionSensor, !isShort { writer.write(text: " [m]ove") }
    if hasDisplay, !isShort { writer.write(text: " [d]isplay") }
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
}

/// The status line and the picture above it, as they are on a terminal, with the cursor in the status line.
struct Drawing {
  /// The picture; `nil` without one.
  let picture: PictureFrame?
  /// The width of the longest row, in columns.
  let width: Int

  /// Goes to its first row, and clears all from there on.
  ///
  /// A terminal that is narrower now may have broken the rows or cut them, so it is not known where the first one is. Then
  /// only the last one is cleared: a trace of a picture is better than the loss of a line above it.
  func erase(in size: TerminalSize, to writer: inout ByteWriter) {
    if let picture, width < size.columns {
      // Cursor up, and erase to the end of the screen: ECMA-48, 8.3.22 and 8.3.39.
      writer.write(text: "\u{1B}[")
      writer.write(decimal: UInt32(truncatingIfNeeded: picture.rows.count))
      writer.write(text: "A\r\u{1B}[J")
    } else {
      writer.write(text: StatusLine.erasure)
    }
  }
}
