import BluetoothHost
import Expectations
import VirtualBoard

@testable import EightBall

@Suite("Pictures of the screens")
struct ScreenPictureTests {
  @Test(
    "Each screen of 128×64 pixels is the one of its file", arguments: TestScreens.all.map(\.name))
  func screens(name: String) throws {
    let display = VirtualSSD1306()
    var rig = DisplayRig(SSD1306(), display)
    rig.show(try screen(name))
    rig.run()
    expect(try ExpectedPicture.isEqual(display.text, name), "\(name):\n\(display.text)")
    expect(display.unknownCommands, is: [])
  }

  @Test("Each screen of 2×16 characters is the one in the file")
  func rows() throws {
    var text = ""
    for (name, screen) in TestScreens.all {
      let expander = VirtualPCF8574()
      var rig = DisplayRig(HD44780(), expander)
      rig.show(screen)
      rig.run()
      text += name + "\n" + expander.display.lines.map { "|\($0)|\n" }.joined()
    }
    expect(try ExpectedPicture.isEqual(text, "rows"), "\(text)")
  }

  @Test("The font is the one of its file")
  func font() throws {
    // Like the page of a display, 21 cells in a row.
    var rows = [[Bool]](repeating: [Bool](repeating: false, count: 126), count: 40)
    for glyph in Font.blank...Font.ellipsis {
      let cell = Int(glyph - Font.blank)
      for column in 0..<6 {
        let bits = Font.column(column, of: glyph)
        for row in 0..<8 where bits >> row & 1 == 1 {
          rows[cell / 21 * 8 + row][cell % 21 * 6 + column] = true
        }
      }
    }
    let text = rows.map { row in String(row.map { $0 ? "#" : "." }) }.joined(separator: "\n")
    expect(try ExpectedPicture.isEqual(text, "font"), "\(text)")
  }

  @Test("No answer is cut, and each stays in the triangle and in the rows")
  func answersFit() {
    for (name, screen) in TestScreens.answers {
      for area in [TextArea.triangle, .rows] {
        let layout = TextLayout(screen.text, in: area)
        let lines = lines(of: layout)
        expect(isInside(layout, area), "\(name)")
        expect(!lines.contains { $0.isCut }, "\(name)")
        // Between two lines is a blank of the text.
        expect(lines.reduce(-1) { $0 + $1.count + 1 }, is: screen.text.count, "\(name)")
      }
    }
  }

  @Test("No text leaves the triangle and the rows, whatever its bytes are")
  func anyText() {
    var source = RandomSource(seed: 128)
    for _ in 0..<2_000 {
      let length = Int(source.next(below: 30))
      // Blanks often, and all bytes.
      let bytes = (0..<length).map { _ in
        source.next(below: 5) == 0 ? 0x20 : UInt8(truncatingIfNeeded: source.next())
      }
      var text = ScreenText()
      text.append(bytes.span)
      if source.next(below: 2) == 0 { text.appendLastLine("Ask me") }
      for area in [TextArea.triangle, .rows] {
        expect(isInside(TextLayout(text, in: area), area), "\(bytes)")
      }
    }
  }

  private func screen(_ name: String) throws -> BallScreen {
    try #require(TestScreens.all.first { $0.name == name }).screen
  }

  private func lines(of layout: TextLayout) -> [TextLayout.Line] {
    var layout = layout
    return (0..<layout.lineCount).map { layout.line($0) }
  }

  /// Whether each line fits where it is.
  private func isInside(_ layout: TextLayout, _ area: TextArea) -> Bool {
    let lines = lines(of: layout)
    guard lines.count <= area.lineLimit else { return false }
    guard area == .triangle else { return lines.allSatisfy { $0.count <= 16 } }
    return lines.enumerated().allSatisfy { number, line in
      // 6 pixels a cell, less the last space; 3 pixels of the edge and a free one on each side.
      let top = layout.top + 10 * number
      return top >= 4 && line.count * 6 - 1 + 2 * 4 <= Triangle.width(atRow: top + 6)
    }
  }
}
