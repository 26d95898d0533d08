/// A board's lines as they are before anybody asks for them.
public struct ChipSurvey: Equatable, Sendable {
  /// A line that the board has.
  public struct Line: Equatable, Sendable {
    /// What the board has it for: "shake".
    public var part: String
    /// What the board calls it: "GPIO5".
    public var name: String
    /// Where it is on the chip; `nil` if the chip has no such line.
    public var offset: Int?
    /// Who uses it, "?" if they give no name; `nil` if nobody does.
    public var user: String?

    /// A line as it was found.
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
