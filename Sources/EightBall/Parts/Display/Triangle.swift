/// The triangle in the ball's window, point down, on a screen of 128×64 pixels: an outline of two pixels.
enum Triangle {
  /// The width of the screen, in pixels.
  static var screenWidth: Int { 128 }

  /// Its width at a row of pixels: 120 at the top, and 15/8 less at each further row.
  static func width(atRow row: Int) -> Int { 120 &- (row &* 15) &>> 3 }

  /// Its outline in eight rows of a column.
  ///
  /// - Parameters:
  ///   - column: 0 to 127, from the left.
  ///   - page: 0 to 7: the eight rows from the top on.
  /// - Returns: The pixels, the top one in bit 0.
  static func outline(inColumn column: Int, ofPage page: Int) -> UInt8 {
    // Both halves are alike.
    let distance = column < 64 ? 63 &- column : column &- 64
    guard distance < 60 else { return 0 }
    // The first row below it: the inverse of half its width, 60 − 15/16 a row, with 17/16 for 16/15.
    let end = ((60 &- distance) &* 17) &>> 4 &- page &* 8
    // Three pixels of a column are two across the edge.
    let side: UInt32 = end >= 0 && end <= 10 ? (0b111 &<< UInt32(truncatingIfNeeded: end)) &>> 3 : 0
    return UInt8(truncatingIfNeeded: side) | (page == 0 ? 0b11 : 0)
  }

  /// Eight rows of a column of the outline with a text in it, as `outline(inColumn:ofPage:)` gives them.
  @inline(never)
  static func pixels(inColumn column: Int, ofPage page: Int, with layout: inout TextLayout) -> UInt8
  {
    var pixels = outline(inColumn: column, ofPage: page)
    var number = 0
    while number < layout.lineCount {
      let row = layout.top &+ number &* TextArea.pitch &- page &* 8
      let line = layout.line(number)
      let offset = column &- 64 &+ line.count &* Font.cellWidth / 2
      if row > -8, row < 8, offset >= 0, offset < line.count &* Font.cellWidth {
        let glyph = layout.glyph(offset / Font.cellWidth, of: line)
        let bits = UInt32(Font.column(offset % Font.cellWidth, of: glyph))
        // The page is the middle one of three.
        pixels |= UInt8(truncatingIfNeeded: (bits &<< UInt32(truncatingIfNeeded: row &+ 8)) &>> 8)
      }
      number &+= 1
    }
    return pixels
  }
}
