import BluetoothHost
import EightBall
import Expectations
import LinuxRadio
import Testing
import VirtualBoard

@testable import eightball

@Suite("The display in the terminal")
struct PictureFrameTests {
  private let large = TerminalSize(rows: 40, columns: 100)

  /// The Unicode Standard, Braille Patterns: the dots are numbered 1 2 3 7 downwards on the left, and 4 5 6 8 on the right.
  @Test(
    "Each pixel is a dot",
    arguments: [
      (0, 0, "⠁"), (0, 1, "⠂"), (0, 2, "⠄"), (0, 3, "⡀"), (1, 0, "⠈"), (1, 1, "⠐"), (1, 2, "⠠"),
      (1, 3, "⢀"), (126, 60, "⠁"), (127, 63, "⢀"),
    ])
  func dots(x: Int, y: Int, character: String) {
    var bytes = [UInt8](repeating: 0, count: 1_024)
    bytes[y / 8 * 128 + x] = 1 << UInt8(y % 8)
    let frame = PictureFrame(DisplayPicture(.pixels(bytes), .lit))
    expect(frame.rows.count, is: 18)
    for (number, row) in frame.rows.enumerated() {
      expect(row.count, is: 66)
      let isTheRow = number == y / 4 + 1
      expect(row.contains(character), is: isTheRow, "row \(number)")
      if isTheRow { expect(row.dropFirst(x / 2 + 1).first, is: Character(character)) }
    }
  }

  @Test("Characters are in a frame, faint if the display is dim")
  func characters() {
    expect(
      PictureFrame(DisplayPicture(.characters(["ab", "cd"]), .lit)).rows,
      is: ["┌──┐", "│ab│", "│cd│", "└──┘"])
    expect(
      PictureFrame(DisplayPicture(.characters(["ab", "cd"]), .dim)).rows,
      is: ["┌──┐", "│\u{1B}[2mab\u{1B}[22m│", "│\u{1B}[2mcd\u{1B}[22m│", "└──┘"])
  }

  @Test("It needs 26 rows and 67 columns, and characters 12 and 19")
  func room() {
    for (frame, rows, columns) in [(pixels(0), 26, 67), (text("ab"), 12, 19)] {
      expect(frame.fits(TerminalSize(rows: rows, columns: columns)))
      expect(frame.fits(TerminalSize(rows: rows - 1, columns: columns)), is: false)
      expect(frame.fits(TerminalSize(rows: rows, columns: columns - 1)), is: false)
    }
  }

  @Test("It is drawn once, drawn again when it changes, and erased when it is hidden")
  func drawing() {
    let line = StatusLine(lines, hasMotionSensor: true)
    line.picture = text("one")
    var drawn: Drawing?
    let status = "\r\u{1B}[K(8) …    [q]uit"
    let keys = status.replacing("[q]", with: "[m]ove [d]isplay [q]")
    expect(draw(line, over: &drawn), is: rows("one") + keys)
    expect(draw(line, over: &drawn), is: keys)
    line.picture = text("two")
    let erasure = "\u{1B}[4A\r\u{1B}[J"
    expect(draw(line, over: &drawn), is: erasure + rows("two") + keys)
    line.isPictureHidden = true
    expect(draw(line, over: &drawn), is: erasure + keys)
    line.isPictureHidden = false
    expect(draw(line, over: &drawn), is: "\r\u{1B}[K" + rows("two") + keys)
    // A low terminal has no room for it.
    expect(
      draw(line, over: &drawn, in: TerminalSize(rows: 11, columns: 100)),
      is: erasure + status.replacing("[q]", with: "[m]ove [q]"))
  }

  @Test("A terminal that has become narrower keeps what it may have broken into several rows")
  func narrower() throws {
    let line = StatusLine(lines, hasMotionSensor: false)
    line.picture = text("one")
    var drawn: Drawing?
    _ = draw(line, over: &drawn)
    let width = try #require(drawn?.width)
    expect(width, is: "(8) …    [d]isplay [q]uit".count)
    let old = try #require(drawn)
    let sizes = [width, width + 1].map { TerminalSize(rows: 40, columns: $0) }
    expect(
      sizes.map { size in String(writing: { old.erase(in: size, to: &$0) }) },
      is: ["\r\u{1B}[K", "\u{1B}[4A\r\u{1B}[J"])
  }

  @Test(
    "On a narrow terminal the keys of the parts are left out before those of the buttons are cut")
  func narrowKeys() throws {
    let line = StatusLine(
      VirtualLines(try KnownBoard.named("virtual").board), hasMotionSensor: true)
    for (columns, keys) in [
      (56, "[s]hake [c]lear [C]lear held [m]ove [d]isplay [q]uit"),
      (55, "[s]hake [c]lear [C]lear held [q]uit"),
    ] {
      let text = String(writing: { line.compose(to: &$0, columns: columns, hasDisplay: true) })
      expect(text.hasSuffix(" " + keys), "\(text)")
      expect(text.count <= columns)
    }
  }

  // MARK: Support

  private func draw(_ line: StatusLine, over drawn: inout Drawing?, in size: TerminalSize? = nil)
    -> String
  {
    String(writing: { drawn = line.draw(over: drawn, in: size ?? large, to: &$0) })
  }

  /// What a display of characters with this text in its first line shows.
  private func text(_ first: String) -> PictureFrame {
    PictureFrame(
      DisplayPicture(.characters([first, ""].map { $0.padding(to: 16) }), .lit))
  }

  private func rows(_ text: String) -> String {
    self.text(text).rows.map { $0 + "\n" }.joined()
  }

  private func pixels(_ byte: UInt8) -> PictureFrame {
    PictureFrame(DisplayPicture(.pixels([UInt8](repeating: byte, count: 1_024)), .lit))
  }

  /// The lines of a board without buttons and lights.
  private var lines: VirtualLines { VirtualLines(BoardDescription(name: "b", chip: "virtual")) }
}

extension String {
  fileprivate func padding(to length: Int) -> String {
    self + String(repeating: " ", count: length - count)
  }
}
