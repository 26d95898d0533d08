/// Where the lines of a text go, and how many cells each has.
enum TextArea: Sendable {
  /// The triangle of a screen of 128×64 pixels.
  case triangle
  /// Two rows of 16 cells.
  case rows

  /// The most lines of a text.
  var lineLimit: Int { self == .triangle ? 3 : 2 }

  /// How many rows of pixels separate the tops of two lines of the triangle.
  static var pitch: Int { 10 }
  /// The top of the highest line in the triangle, below its edge.
  static var highestTop: Int { 4 }

  /// The usual top of the first of `count` lines in the triangle: their middle is then a third of its height
  /// from its edge, as the triangle's own is.
  static func usualTop(of count: Int) -> Int {
    max((44 &- pitch &* count) / 2, highestTop)
  }

  /// How many cells a line has.
  ///
  /// - Parameters:
  ///   - line: Its number, from 0.
  ///   - top: The top of the first line in the triangle.
  func capacity(ofLine line: Int, top: Int) -> Int {
    guard self == .triangle else { return 16 }
    // The seventh row of a glyph is the lowest, and the triangle is narrowest there. Its edge and the space beside the
    // text take seven pixels on each side.
    let bottom = top &+ line &* Self.pitch &+ 6
    return (Triangle.width(atRow: bottom) &- 14) / Font.cellWidth
  }
}

/// A text that is broken into lines at its blanks.
struct TextLayout: Sendable {
  /// A line of the text.
  struct Line: Sendable {
    /// The index of its first glyph.
    var start: Int { Int(first) }
    /// How many cells it takes.
    var count: Int { Int(cells) }
    /// Whether an ellipsis takes its last cell, since the text goes on.
    let isCut: Bool

    // A text has at most 40 glyphs.
    private let first: UInt8
    private let cells: UInt8

    init(start: Int, count: Int, isCut: Bool) {
      first = UInt8(truncatingIfNeeded: start)
      cells = UInt8(truncatingIfNeeded: count)
      self.isCut = isCut
    }

    static var empty: Line { Line(start: 0, count: 0, isCut: false) }
  }

  /// The text.
  private(set) var text = ScreenText()
  /// How many lines it has, at most three.
  private(set) var lineCount = 0
  /// The top of its first line in the triangle, in pixels.
  private(set) var top = 0
  private var lines = InlineArray<4, Line>(repeating: .empty)

  /// No line.
  init() {}

  /// Breaks `text` into as few lines as it takes. Lines in the triangle move up to where they fit. A word that is too
  /// long and a text with too many lines are cut, with an ellipsis.
  @inline(never)
  init(_ text: ScreenText, in area: TextArea) {
    self.text = text
    let shifts = area == .triangle ? TextArea.usualTop(of: 1) &- TextArea.highestTop : 0
    var shift = 0
    while true {
      // At last, words are cut, in the usual place.
      let cutsWords = shift > shifts
      var count = 1
      while count <= area.lineLimit {
        top = max(TextArea.usualTop(of: count) &- (cutsWords ? 0 : shift), TextArea.highestTop)
        let isWhole = fill(count, in: area, cutsWords: cutsWords)
        // Fewer lines than planned would be too high, unless words have to be cut anyway.
        if isWhole, cutsWords || lineCount == count || text.count == 0 { return }
        count &+= 1
      }
      if cutsWords { return }
      shift &+= 1
    }
  }

  /// A line; an empty one if there is none of this number.
  mutating func line(_ number: Int) -> Line {
    number >= 0 && number < lineCount ? lines[number & 3] : .empty
  }

  /// The glyph in a cell of a line.
  mutating func glyph(_ cell: Int, of line: Line) -> UInt8 {
    line.isCut && cell == line.count &- 1 ? Font.ellipsis : text.glyph(at: line.start &+ cell)
  }

  /// Breaks the text into at most `count` lines. Returns whether they have all of it, but for words that are cut.
  private mutating func fill(_ count: Int, in area: TextArea, cutsWords: Bool) -> Bool {
    let hasLastLine = text.count > text.bodyCount
    let room = hasLastLine ? count &- 1 : count
    var isWhole = true
    var start = 0
    lineCount = 0
    while true {
      while start < text.bodyCount, text.glyph(at: start) == Font.blank { start &+= 1 }
      guard start < text.bodyCount else { break }
      guard lineCount < room else {
        isWhole = false
        cutLastLine(in: area)
        break
      }
      let capacity = area.capacity(ofLine: lineCount, top: top)
      let length = lengthOfWords(from: start, upTo: capacity)
      append(Line(start: start, count: length > 0 ? length : capacity, isCut: length == 0))
      start &+= length
      if length == 0 {
        isWhole = isWhole && cutsWords
        while start < text.bodyCount, text.glyph(at: start) != Font.blank { start &+= 1 }
      }
    }
    if hasLastLine {
      let length = text.count &- text.bodyCount
      isWhole = isWhole && length <= area.capacity(ofLine: lineCount, top: top)
      append(Line(start: text.bodyCount, count: length, isCut: false))
    }
    return isWhole
  }

  /// The length of the words from `start` on that have at most `limit` glyphs together; 0 if the first has more.
  private mutating func lengthOfWords(from start: Int, upTo limit: Int) -> Int {
    var length = 0
    var position = start
    while position &- start <= limit {
      let isEnd = position >= text.bodyCount
      if isEnd || text.glyph(at: position) == Font.blank { length = position &- start }
      if isEnd { break }
      position &+= 1
    }
    return length
  }

  /// Fills the last line, since the text goes on after it.
  private mutating func cutLastLine(in area: TextArea) {
    guard lineCount > 0 else { return }
    let last = (lineCount &- 1) & 3
    let start = lines[last].start
    var count = area.capacity(ofLine: last, top: top)
    // No blank before the ellipsis.
    while count > 1, text.glyph(at: start &+ count &- 2) == Font.blank { count &-= 1 }
    lines[last] = Line(start: start, count: count, isCut: true)
  }

  private mutating func append(_ line: Line) {
    guard lineCount < lines.count else { return }
    lines[lineCount & 3] = line
    lineCount &+= 1
  }
}
