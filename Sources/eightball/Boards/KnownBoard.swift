import EightBall
import LinuxPort
import LinuxRadio

/// A board that the program knows, or one of a file.
struct KnownBoard: Equatable, Sendable {
  /// The board.
  var board: BoardDescription
  /// The prefixes of the device tree's models that are this board.
  var models: [String]

  /// The board's name.
  var name: String { board.name.description }

  /// The boards in the program, sorted by name.
  static let shipped: [KnownBoard] = {
    let table = BoardTable.shipped
    return (0..<table.count).compactMap { number -> KnownBoard? in
      guard let board = table.board(at: number) else { return nil }
      var models: [String] = []
      table.forEachModel(ofBoardAt: number) { model in
        models.append(String(writing: { $0.writePrefix(of: model) }))
      }
      return KnownBoard(board: board, models: models)
    }
  }()

  /// This machine's model in the device tree; `nil` without a device tree.
  static var modelOfMachine: String? {
    let model = MachineModel.current
    return model.isEmpty ? nil : model.description
  }

  /// The board in the program that has the longest matching prefix of a device tree's model; `nil` if none matches.
  static func matching(model: String) -> KnownBoard? {
    guard case .board(let number) = BoardTable.shipped.search(model: model.utf8.span).result else {
      return nil
    }
    return shipped[number]
  }

  /// The board that `text` names: a file if it has a slash or ends in .conf, and the name of a board otherwise.
  ///
  /// - Parameter option: The option that had the text, for errors.
  /// - Throws: What is wrong with the file, or the names of the boards.
  static func named(
    _ text: String, option: String = "--board"
  ) throws(BoardError) -> KnownBoard {
    if text.contains("/") || text.hasSuffix(".conf") { return try KnownBoard(file: text) }
    guard let known = shipped.first(where: { $0.name == text }) else {
      let names = shipped.map(\.name)
      let hint = nearestName(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
      throw BoardError(
        "\(option) \(BoardError.shown(text))",
        "expected \(alternatives(names)), or a file such as ./my-board.conf\(hint)")
    }
    return known
  }

  private init(board: BoardDescription, models: [String]) {
    self.board = board
    self.models = models
  }

  /// Reads the file at `path`. The board has the file's name without `.conf`.
  ///
  /// - Throws: What is wrong with the file, with the line and the field.
  init(file path: String) throws(BoardError) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.bytes(ofRegular: path, limit: BoardFile.capacity + 1)
    } catch {
      let reason = error.explanation ?? error.code.description
      let remedy = error.code == .noSuchFile ? ". \(Self.howToName)" : ""
      throw BoardError(path, "cannot read the board's file: \(reason)\(remedy)")
    }
    guard bytes.count <= BoardFile.capacity else {
      throw BoardError(path, "expected at most \(BoardFile.capacity) bytes")
    }
    try self.init(bytes, path: path)
  }

  /// Reads the text of a file.
  init(_ text: [UInt8], path: String) throws(BoardError) {
    var name = String(path.split(separator: "/").last ?? "")
    if name.hasSuffix(".conf") { name.removeLast(5) }
    let file: BoardFile
    do throws(BoardFileError) {
      // The name of a file has at most 255 bytes.
      file = try BoardFile(text.span, name: BoardName(name) ?? BoardName())
    } catch {
      throw BoardError(path, at: error)
    }
    if let line = file.radioLine, let radio = file.board.radio, !isRadio(radio.description) {
      throw BoardError(
        path, line: line, field: BoardField.radio.name.description,
        "expected \(BoardField.radio.expectedWords), not \(BoardError.quoted(radio.description))")
    }
    board = file.board
    models = []
    BoardFile.forEachModel(in: text.span) { model in
      models.append(String(writing: { $0.writePrefix(of: model) }))
    }
  }

  /// What to do if no board was found, as the end of a sentence.
  static let howToName = "--board chooses one: see eightball boards"

  /// The board as a file, which `init(file:)` reads.
  var file: String {
    (models.map { "\(BoardField.model.name) = \($0)" }
      + board.fewestSettings.map { setting in
        let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return "\(parts[0]) = \(parts[1])"
      })
      .map { $0 + "\n" }.joined()
  }
}

extension BoardError {
  /// What is wrong with the file at `path`.
  fileprivate init(_ path: String, at error: BoardFileError) {
    self.init(
      path, line: error.line == 0 ? nil : error.line, String(writing: { error.write(to: &$0) }))
  }
}

extension BoardField {
  /// What it expects. This program knows more forms of a radio than the shared rules.
  var expectedWords: String {
    self == .radio ? "a radio: \(RadioAddress.forms)" : expected.description
  }
}

/// Whether `text` names a radio.
func isRadio(_ text: String) -> Bool { (try? RadioAddress(text)) != nil }

/// The one of `names` that a person probably meant; `nil` if none is near, or if several are equally near.
///
/// The distance counts characters that are missing or too many, so that "pi4" is nearer to "pi-4b"
/// than to "pi-5". At most half of the characters of `text` and one more may differ.
func nearestName(to text: String, among names: [String]) -> String? {
  let limit = text.count / 2 + 1
  let distances = names.map { distance(text, $0) }
  guard let least = distances.min(), least <= limit,
    let index = distances.firstIndex(of: least), distances.lastIndex(of: least) == index
  else { return nil }
  return names[index]
}

/// How many characters have to be deleted and inserted to make one text of the other.
private func distance(_ text: String, _ other: String) -> Int {
  let target = Array(other)
  // For each prefix of `target`, the distance from what has been read of `text`.
  var row = Array(0...target.count)
  for (index, character) in text.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for column in target.indices {
      let above = row[column + 1]
      row[column + 1] =
        character == target[column] ? diagonal : min(above, row[column]) + 1
      diagonal = above
    }
  }
  return row[target.count]
}
