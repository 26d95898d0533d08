import Boards
import LinuxRadio

/// Reads a field of a board from a file's text, by the rules of a `BoardField`.
struct FileField<Value>: Sendable {
  /// What is expected, to follow the word "expected".
  let expected: String
  /// The value of a text; `nil` if it is wrong.
  let read: @Sendable (String) -> Value?

  fileprivate init(_ field: BoardField, read: @escaping @Sendable (String) -> Value?) {
    expected = field.expectedWords
    self.read = read
  }
}

extension BoardField {
  /// What it expects. This program knows more forms of a radio than the shared rules.
  var expectedWords: String {
    self == .radio ? "a radio: \(RadioName.forms)" : expected.description
  }
}

extension FileField where Value == String {
  static let model = FileField(.models) { BoardField.isModel($0.utf8.span) ? $0 : nil }
}

extension FileField where Value == BoardText<31> {
  static let chip = FileField(.chip) { BoardField.readName($0.utf8.span) }
  static let line = FileField(.line) { BoardField.readName($0.utf8.span) }
}

extension FileField where Value == RadioText {
  static let radio = FileField(.radio) { text in
    guard (try? RadioName(text)) != nil else { return nil }
    return BoardField.readRadio(text.utf8.span)
  }
}

extension FileField where Value == Int {
  static let offset = FileField(.offset) { BoardField.readOffset($0.utf8.span) }
  static let debounce = FileField(.debounce) { BoardField.readDebounce($0.utf8.span) }
}

extension FileField where Value == Bool {
  /// Whether low means pressed or lit.
  static let active = FileField(.active) { BoardField.readActiveLow($0.utf8.span) }
}

extension FileField where Value == LineDescription.Bias {
  static let bias = FileField(.bias) { BoardField.readBias($0.utf8.span) }
}

/// The fields that a group may have, in the order of a board's file.
struct FieldNames {
  /// The required ones.
  var required: [String] = []
  /// The others.
  var optional: [String] = []

  /// All of them.
  var all: [String] { required + optional }

  /// What is expected if they are missing.
  var words: String {
    guard !required.isEmpty else { return "one or more of the fields \(alternatives(all, "and"))" }
    let more = optional.isEmpty ? "" : ", and perhaps \(alternatives(optional, "and"))"
    return "the fields \(alternatives(required, "and"))\(more)"
  }
}

extension BoardPart {
  /// The names of its fields.
  var fields: FieldNames {
    let fields = BoardField.ofLine.indices.map { BoardField.ofLine[$0] }.filter(has)
    return FieldNames(
      required: fields.filter(requires).map(\.name.description),
      optional: fields.filter { !requires($0) }.map(\.name.description))
  }
}

extension BoardDescription {
  /// The fields of a board's file.
  static let fields = FieldNames(
    optional: [BoardField.models, .chip, .radio].map(\.name.description)
      + BoardPart.allCases.map(\.description))
}

/// "a", "a or b", "a, b or c".
func alternatives(_ names: [String], _ conjunction: String = "or") -> String {
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
}
