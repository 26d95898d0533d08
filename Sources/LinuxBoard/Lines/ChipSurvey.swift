/// The state of a board's lines, found without requesting them.
public struct ChipSurvey: Equatable, Sendable {
  /// A line of the board.
  public struct Line: Equatable, Sendable {
    /// The part of the board that uses it: "shake".
    public var part: String
    /// Its name on the board: "GPIO5".
    public var name: String
    /// Its offset on the chip; `nil` if the chip has no such line.
    public var offset: Int?
    /// Its consumer, "?" for one without a name; `nil` if the line is free.
    public var user: String?

    /// A line with this state.
    public init(part: String, name: String, offset: Int?, user: String? = nil) {
      self.part = part
      self.name = name
      self.offset = offset
      self.user = user
    }
  }

  /// The chip's path.
  public var path: String
  /// The lines: the buttons', then the lights'.
  public var lines: [Line]

  /// The chip at `path`, with these of its lines.
  public init(path: String, lines: [Line]) {
    self.path = path
    self.lines = lines
  }
}
