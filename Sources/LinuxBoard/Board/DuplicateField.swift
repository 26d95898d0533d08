import Boards
import Yams

/// A field that a file has twice.
///
/// The parser tells only of the first one; where the second one is, the text says: the fields of a
/// group begin in the same column.
struct DuplicateField {
  private let name: String
  private let group: String?
  private let firstLine: Int
  private let line: Int

  /// - Parameter mark: Where the first one is.
  init(_ name: String, first mark: Mark, in lines: [Substring]) {
    let lines = lines.map { Line($0) }
    self.name = name
    firstLine = mark.line
    let indent = mark.column - 1
    let later = lines.dropFirst(mark.line).firstIndex { $0.indent == indent && $0.field == name }
    // Within braces there are no columns to go by.
    line = later.map { $0 + 1 } ?? mark.line
    let heading = lines.prefix(mark.line).last { $0.indent == 0 && $0.field != nil }?.field
    let parts = BoardPart.allCases.map(\.description)
    group = indent == 0 ? nil : heading.flatMap { parts.contains($0) ? $0 : nil }
  }

  /// What is wrong.
  func error(_ path: String) -> BoardError {
    let field = group.map { "\($0).\(name)" } ?? name
    return BoardError(
      path, line: line, field: BoardError.shown(field),
      "expected once, but "
        + (line == firstLine ? "it is there again" : "line \(firstLine) has it already"))
  }

  /// A line of the file.
  private struct Line {
    /// How many spaces it begins with.
    let indent: Int
    /// The name before its colon; `nil` for comments, and for what has none.
    let field: String?

    init(_ text: Substring) {
      indent = text.prefix { $0 == " " }.count
      let rest = text.dropFirst(indent)
      guard let colon = rest.firstIndex(of: ":"), !rest.hasPrefix("#") else {
        field = nil
        return
      }
      var name = rest[..<colon]
      while name.last == " " { name.removeLast() }
      if let quote = name.first, quote == "\"" || quote == "'", name.last == quote {
        name = name.dropFirst().dropLast()
      }
      field = String(name)
    }
  }
}
