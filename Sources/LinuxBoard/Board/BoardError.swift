import Boards

/// What is wrong with a board's file, or with what the command line says of a board.
///
/// Prints as one line: "boards/pi-4b.yml:7: shake.offset: expected a whole number from 0 to 1023,
/// not "five"".
public struct BoardError: Error, Equatable, CustomStringConvertible {
  /// Where it was said: a file's path, or an option.
  public var place: String
  /// The line of the file, counted from 1; `nil` if the fault is in none of them.
  public var line: Int?
  /// The field, such as "shake.offset"; `nil` if the fault is in none of them.
  public var field: String?
  /// What is wrong, and what was expected.
  public var problem: String

  /// A fault at `place`.
  public init(_ place: String, line: Int? = nil, field: String? = nil, _ problem: String) {
    self.place = place
    self.line = line
    self.field = field
    self.problem = problem
  }

  /// What is wrong and where, in a sentence without its full stop.
  public var description: String {
    var text = place
    if let line { text += ":\(line)" }
    if let field { text += ": \(field)" }
    return "\(text): \(problem)"
  }

  /// `text` in quotes, as `shown` has it.
  static func quoted(_ text: String) -> String { "\"\(shown(text))\"" }

  /// `text` in a bearable length, without what a terminal would obey.
  static func shown(_ text: String) -> String {
    String(writing: { $0.writeShown(text.utf8.span) })
  }
}
