import Boards

/// What is wrong with a board's file or with an option about a board.
///
/// Prints as one line: "my-board.conf:7: shake.offset: expected a whole number from 0 to 1023,
/// not "five"".
public struct BoardError: Error, Equatable, CustomStringConvertible {
  /// Where the error is: a file's path, or an option.
  public var source: String
  /// The line of the file, counted from 1; `nil` if the error is not in one line.
  public var line: Int?
  /// The field, such as "shake.offset"; `nil` if the error is not in one field.
  public var field: String?
  /// What is wrong, and what was expected.
  public var problem: String

  /// An error at `source`.
  public init(_ source: String, line: Int? = nil, field: String? = nil, _ problem: String) {
    self.source = source
    self.line = line
    self.field = field
    self.problem = problem
  }

  /// What is wrong and where, in a sentence without its full stop.
  public var description: String {
    var text = source
    if let line { text += ":\(line)" }
    if let field { text += ": \(field)" }
    return "\(text): \(problem)"
  }

  /// `shown(text)` in quotes.
  static func quoted(_ text: String) -> String { "\"\(shown(text))\"" }

  /// `text`, shortened and without control characters.
  static func shown(_ text: String) -> String {
    String(writing: { $0.writeShown(text.utf8.span) })
  }
}

/// "a", "a or b", "a, b or c".
func alternatives(_ names: [String], _ conjunction: String = "or") -> String {
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
}
