import Boards

/// The Swift source of a `BoardTable` with the boards of some files.
public struct BoardTableSource {
  /// What is wrong with the files. All are read before this is thrown.
  public struct Failure: Error {
    /// One for each file that is wrong.
    public var errors: [BoardError]
  }

  private var boards: [(name: String, models: [String], settings: [String])] = []

  /// Reads the files at `paths`. The table has their boards sorted by name.
  ///
  /// - Throws: What is wrong with them.
  public init(paths: [String]) throws(Failure) {
    var errors: [BoardError] = []
    for path in paths {
      do throws(BoardError) {
        try add(path)
      } catch {
        errors.append(error)
      }
    }
    guard errors.isEmpty else { throw Failure(errors: errors) }
    boards.sort { $0.name < $1.name }
  }

  private mutating func add(_ path: String) throws(BoardError) {
    let file = try BoardFile.read(path)
    let name = file.board.name.description
    guard !boards.contains(where: { $0.name == name }) else {
      throw BoardError(path, "another file also has the name \(BoardError.quoted(name))")
    }
    guard name != BoardDescription.noBoard.description else {
      throw BoardError(path, "expected another name: --board \(name) means no board")
    }
    let board = (name: name, models: file.models, settings: file.board.fewestSettings)
    // The table has a line for each fact.
    for fact in Self.facts(board, without: []) where fact.utf8.contains(UInt8(ascii: "\n")) {
      throw BoardError(path, "expected no line break in \(BoardError.quoted(fact))")
    }
    boards.append(board)
  }

  private static func facts(
    _ board: (name: String, models: [String], settings: [String]), without common: [String]
  ) -> [String] {
    ["@\(board.name)"] + board.models.map { "=\($0)" }
      + board.settings.filter { !common.contains($0) }
  }

  /// The most frequent setting of each field that all boards set. A board with another value
  /// overrides it.
  private var commonSettings: [String] {
    guard boards.count > 1 else { return [] }
    let all = boards.flatMap(\.settings)
    var common: [String] = []
    for field in boards[0].settings.map({ $0.prefix { $0 != "=" } }) {
      let values = all.filter { $0.hasPrefix(field + "=") }
      guard values.count == boards.count else { continue }
      let best = values.max { one, other in
        values.count { $0 == one } < values.count { $0 == other }
      }
      if let best { common.append(best) }
    }
    return common
  }

  /// A Swift file that adds `BoardTable.shipped` to the module that it is compiled in.
  public var text: String {
    let names = boards.map(\.name)
    let common = commonSettings
    let lines = common + boards.flatMap { Self.facts($0, without: common) }
    return """
      // board-table writes this file from board files. Do not edit it: a build overwrites it.

      import Boards

      extension BoardTable {
        /// The boards in this program: \(names.isEmpty ? "none" : names.joined(separator: ", ")).
        static var shipped: BoardTable {
          BoardTable(
            \"""
      \(lines.map { "      \(Self.escaped($0))" }.joined(separator: "\n"))
            \""")
        }
      }

      """
  }

  /// `text` escaped for a multi-line string literal.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      let isPlain = (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\"
      escaped += isPlain ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }
    return escaped
  }
}

extension BoardDescription {
  /// The settings that alone describe this board, without those that the others imply: the offset
  /// of a line called GPIO18, and the default wiring of a button or a light.
  fileprivate var fewestSettings: [String] {
    var settings = self.settings
    for setting in self.settings {
      let fewer = settings.filter { $0 != setting }
      if isDescribed(by: fewer) { settings = fewer }
    }
    return settings
  }

  private func isDescribed(by settings: [String]) -> Bool {
    do throws(BoardError) {
      var read: [BoardSetting] = []
      for setting in settings { read.append(try BoardSetting(setting)) }
      var board = try BoardDescription(describedBy: read)
      board.name = name
      return board == self
    } catch {
      return false
    }
  }
}
