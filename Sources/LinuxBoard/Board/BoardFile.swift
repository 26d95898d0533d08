import Boards
import LinuxSystem
import Yams

/// A board's file: YAML, in which each field is known and checked.
///
/// boards/README.md describes the fields.
public struct BoardFile: Equatable, Sendable {
  /// Prefixes of the device tree's models that are this board, such as "Raspberry Pi 4 Model B".
  public var models: [String]
  /// The board.
  public var board: BoardDescription

  /// The largest size of a file, in bytes.
  static let capacity = 65_536

  /// Reads the file at `path`. The board has the file's name without `.yml` or `.yaml`.
  ///
  /// - Throws: What is wrong with the file, with the line and the field.
  public static func read(_ path: String) throws(BoardError) -> BoardFile {
    var name = String(path.split(separator: "/").last ?? "")
    for ending in [".yml", ".yaml"] where name.hasSuffix(ending) {
      name.removeLast(ending.count)
    }
    return try parse(try text(of: path), name: name, path: path)
  }

  /// Reads the text of a file.
  ///
  /// - Parameter path: The name of the file in errors.
  static func parse(
    _ text: String, name: String, path: String
  ) throws(BoardError) -> BoardFile {
    guard let root = try compose(text, path) else {
      throw BoardError(
        path, "the file has no fields: expected \(BoardDescription.fields.words)")
    }
    let fields = try BoardFields(root, of: nil, at: 1, known: BoardDescription.fields, path: path)
    // The name of a file has at most 255 bytes.
    var board = BoardDescription(name: BoardName(name) ?? BoardName())
    let models = try fields.list("models", .model) ?? []
    for part in BoardPart.allCases {
      board[part] = try line(of: part, in: fields)
    }
    if board.hasLines {
      board.chip = try fields.required("chip", .chip)
    } else {
      board.chip = try fields.optional("chip", .chip)
    }
    board.radio = try fields.optional("radio", .radio)
    if let clash = board.clash {
      let lineNumber = try fields.group("\(clash.part)", known: clash.part.fields)?
        .line(of: clash.field.name.description)
      throw BoardError(
        path, line: lineNumber, field: String(writing: clash.writeFields),
        String(writing: clash.write))
    }
    return BoardFile(models: models, board: board)
  }

  /// The models in a file that may have other errors; `nil` if they cannot be read.
  static func models(in path: String) -> [String]? {
    guard let text = try? text(of: path), let root = try? compose(text, path),
      let fields = root.mapping
    else { return nil }
    guard let models = root["models"] else {
      // A board without models is chosen by name, unless an unknown field is a misspelt "models".
      let names = fields.keys.map { $0.scalar?.string ?? "" }
      return names.allSatisfy(BoardDescription.fields.all.contains) ? [] : nil
    }
    guard let nodes = models.sequence else { return nil }
    let names = nodes.compactMap { $0.scalar.flatMap { FileField.model.read($0.string) } }
    return names.count == nodes.count ? names : nil
  }

  private static func line(
    of part: BoardPart, in board: BoardFields
  ) throws(BoardError) -> LineDescription? {
    guard let fields = try board.group("\(part)", known: part.fields) else { return nil }
    let name = try fields.required("line", .line)
    let offset = try fields.required("offset", .offset)
    let isActiveLow = try fields.required("active", .active)
    guard part.isButton else {
      let bias = try fields.optional("bias", .bias) ?? .none
      return LineDescription(
        name: name, offset: offset, activeLow: isActiveLow, bias: bias, debounceMilliseconds: 0)
    }
    let bias = try fields.required("bias", .bias)
    let debounce = try fields.required("debounce", .debounce)
    return LineDescription(
      name: name, offset: offset, activeLow: isActiveLow, bias: bias,
      debounceMilliseconds: debounce)
  }

  /// The tree of fields; `nil` if the file has only comments.
  private static func compose(_ text: String, _ path: String) throws(BoardError) -> Node? {
    do {
      // The parser keeps a pointer into the text; a text of fewer than 16 bytes has no storage to
      // point into. Empty lines at the end mean nothing in YAML.
      return try Parser(yaml: text + String(repeating: "\n", count: 16), encoding: .utf8)
        .singleRoot()
    } catch let error as YamlError {
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      if case .duplicatedKeysInMapping(let names, let context) = error, let name = names.first {
        throw DuplicateField(name, first: context.mark, in: lines).error(path)
      }
      var error = BoardError(error, path)
      // What is missing at the end is missing in the last real line.
      error.line = error.line.map { min($0, lines.count) }
      throw error
    } catch {
      throw BoardError(path, "expected YAML")
    }
  }

  private static func text(of path: String) throws(BoardError) -> String {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.bytes(ofRegular: path, limit: capacity + 1)
    } catch {
      let reason = error.explanation ?? error.code.description
      let remedy = error.code == .noSuchFile ? ". \(BoardCatalog.howToName)" : ""
      throw BoardError(path, "cannot read the board's file: \(reason)\(remedy)")
    }
    guard bytes.count <= capacity else {
      throw BoardError(path, "expected at most \(capacity) bytes")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw BoardError(path, "expected text in UTF-8")
    }
    return text
  }
}

extension BoardError {
  /// The error of the YAML parser.
  fileprivate init(_ error: YamlError, _ path: String) {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      self.init(path, line: mark.line, "expected YAML: \(problem)")
    case .reader(let problem, _, _, _):
      self.init(path, "expected YAML: \(problem)")
    default:
      self.init(path, "expected YAML")
    }
  }
}
