import Boards
import Yams

/// A field that a file has twice.
///
/// The parser reports only the first one. The second one is found in the text: the fields of a
/// group begin in the same column.
struct DuplicateField {
  private let name: String
  private let group: String?
  private let firstLine: Int
  private let line: Int

  /// - Parameter mark: The position of the first one.
  init(_ name: String, first mark: Mark, in lines: [Substring]) {
    let lines = lines.map { FileLine($0) }
    self.name = name
    firstLine = mark.line
    let indent = mark.column - 1
    let later = lines.dropFirst(mark.line).firstIndex { $0.indent == indent && $0.field == name }
    // Within braces, columns mean nothing.
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
        + (line == firstLine ? "it is there again" : "line \(firstLine) already has it"))
  }

  /// A line of the file.
  private struct FileLine {
    /// The number of leading spaces.
    let indent: Int
    /// The name before the colon; `nil` for comments and lines without a colon.
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
