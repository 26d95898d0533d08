import Boards
import Yams

/// The fields of a board's file or of one group in it, with their line numbers.
struct BoardFields {
  private let fields: [(name: String, line: Int, value: Node)]
  /// The name of the group, such as "shake"; `nil` for the file itself.
  private let group: String?
  /// The line number at which the group begins.
  private let line: Int
  private let path: String

  /// Reads the fields of a group.
  ///
  /// - Parameter known: The names of the fields that the group may have.
  /// - Throws: If `node` is not a group, or has another field.
  init(
    _ node: Node, of group: String?, at line: Int, known: FieldNames, path: String
  ) throws(BoardError) {
    guard let mapping = node.mapping else {
      throw BoardError(
        path, line: node.mark?.line ?? line, field: group,
        "expected \(known.words), not \(node.words)")
    }
    var fields: [(name: String, line: Int, value: Node)] = []
    for (key, value) in mapping {
      let keyLine = key.mark?.line ?? line
      guard let name = key.scalar?.string, known.all.contains(name) else {
        let name = key.scalar.map { Self.join(group, $0.string) } ?? group
        throw BoardError(
          path, line: keyLine, field: name.map { BoardError.shown($0) },
          "unknown field: expected \(alternatives(known.all))")
      }
      fields.append((name, keyLine, value))
    }
    self.fields = fields
    self.group = group
    self.line = line
    self.path = path
  }

  /// The line number of a field; the group's if the field is missing.
  func line(of name: String) -> Int { find(name)?.line ?? line }

  /// The value of a required field.
  func required<Value>(
    _ name: String, _ field: FileField<Value>
  ) throws(BoardError) -> Value {
    guard let value = try optional(name, field) else {
      throw BoardError(
        path, line: line, field: Self.join(group, name), "missing: expected \(field.expected)")
    }
    return value
  }

  /// The value of an optional field.
  func optional<Value>(
    _ name: String, _ field: FileField<Value>
  ) throws(BoardError) -> Value? {
    guard let found = find(name) else { return nil }
    return try read(found.value, found.line, name, field)
  }

  /// The values of an optional list.
  func list<Value>(
    _ name: String, _ field: FileField<Value>
  ) throws(BoardError) -> [Value]? {
    guard let found = find(name) else { return nil }
    guard let nodes = found.value.sequence else {
      throw BoardError(
        path, line: found.value.mark?.line ?? found.line, field: Self.join(group, name),
        "expected a list, not \(found.value.words)")
    }
    var values: [Value] = []
    for node in nodes { values.append(try read(node, found.line, name, field)) }
    return values
  }

  /// An optional group of fields.
  func group(_ name: String, known: FieldNames) throws(BoardError) -> BoardFields? {
    guard let found = find(name) else { return nil }
    return try BoardFields(found.value, of: name, at: found.line, known: known, path: path)
  }

  private func find(_ name: String) -> (name: String, line: Int, value: Node)? {
    fields.first { $0.name == name }
  }

  private func read<Value>(
    _ node: Node, _ line: Int, _ name: String, _ field: FileField<Value>
  ) throws(BoardError) -> Value {
    guard let scalar = node.scalar, !node.isNothing, let value = field.read(scalar.string) else {
      throw BoardError(
        path, line: node.isNothing ? line : node.mark?.line ?? line, field: Self.join(group, name),
        "expected \(field.expected), not \(node.words)")
    }
    return value
  }

  private static func join(_ group: String?, _ name: String) -> String {
    group.map { "\($0).\(name)" } ?? name
  }
}

extension Node {
  /// Whether the value is empty, as in "chip:".
  fileprivate var isNothing: Bool {
    guard let scalar, scalar.style == .plain else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
  }

  /// The node in words, for a message.
  fileprivate var words: String {
    if isNothing { return "nothing" }
    if let scalar { return BoardError.quoted(scalar.string) }
    return mapping == nil ? "a list" : "a group of fields"
  }
}
