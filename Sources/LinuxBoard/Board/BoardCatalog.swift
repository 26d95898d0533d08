import Boards
import LinuxSystem

/// The board files of this machine, in several folders.
///
/// A file in an earlier folder hides the files of the same name in later ones.
public struct BoardCatalog: Equatable, Sendable {
  /// A board's file.
  public struct Entry: Sendable {
    /// The board's name.
    public var name: String
    /// The path of its file.
    public var path: String
    /// The board, or what is wrong with its file.
    public var board: Result<BoardDescription, BoardError>
    /// The prefixes of the device tree's models that are this board; `nil` if an error in the file
    /// hides them.
    public var models: [String]?
  }

  /// The folders to search, which need not exist.
  public var folders: [String]

  /// The boards in `folders`, which are searched in this order.
  public init(folders: [String]) {
    self.folders = folders
  }

  /// The folders for a program at `programPath`: `boards` beside it; `boards` in its checkout; and
  /// `share/eightball/boards` of its installation, /usr/local and /usr.
  public init(programPath: String = CurrentProcess.programPath) {
    var folders: [String] = []
    var folder = Self.parent(of: programPath)
    if let folder { folders.append("\(folder)/boards") }
    let prefix = folder.flatMap { Self.parent(of: $0) }
    while let checkout = folder {
      if Files.names(in: checkout).contains("Package.swift") {
        folders.append("\(checkout)/boards")
        break
      }
      folder = Self.parent(of: checkout)
    }
    for prefix in [prefix, "/usr/local", "/usr"] {
      guard let prefix else { continue }
      folders.append("\(prefix)/share/eightball/boards")
    }
    self.folders = []
    for folder in folders where !self.folders.contains(folder) { self.folders.append(folder) }
  }

  /// "/usr/bin" for "/usr/bin/eightball"; `nil` for "/" and for a path without a slash.
  private static func parent(of path: String) -> String? {
    guard path.utf8.count > 1, let slash = path.lastIndex(of: "/") else { return nil }
    return String(path[..<slash])
  }

  /// The boards, sorted by name, including those with a wrong file.
  public func entries() -> [Entry] {
    var entries: [Entry] = []
    for folder in folders {
      for file in Files.names(in: folder) where file.hasSuffix(".yml") && !file.hasPrefix(".") {
        let name = String(file.dropLast(4))
        guard !entries.contains(where: { $0.name == name }) else { continue }
        entries.append(Entry(name, at: "\(folder)/\(file)"))
      }
    }
    return entries.sorted { $0.name < $1.name }
  }

  /// The board that `text` names: a file if it has a slash or ends in .yml or .yaml, and the name
  /// of a board otherwise.
  ///
  /// - Parameter option: The option that had the text, for errors.
  /// - Throws: What is wrong with its file, or the names of the known boards.
  public func entry(
    _ text: String, option: String = "--board"
  ) throws(BoardError) -> Entry {
    if text.contains("/") || text.hasSuffix(".yml") || text.hasSuffix(".yaml") {
      let file = try BoardFile.read(text)
      return Entry(
        name: file.board.name.description, path: text, board: .success(file.board),
        models: file.models)
    }
    let entries = entries()
    guard let entry = entries.first(where: { $0.name == text }) else {
      let source = "\(option) \(BoardError.shown(text))"
      guard !entries.isEmpty else { throw BoardError(source, "\(nothingFound); name a file") }
      let names = entries.map(\.name)
      let hint = nearestName(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
      throw BoardError(
        source, "expected \(alternatives(names)), or a file such as ./my-board.yml\(hint)")
    }
    _ = try entry.board.get()
    return entry
  }

  /// The board that `text` names, as `entry` finds it.
  public func board(_ text: String) throws(BoardError) -> BoardDescription {
    try entry(text).board.get()
  }

  /// What to do if no board was found, as the end of a sentence.
  public static let howToName = "--board chooses one: see eightball boards"

  /// That no folder has a board file, and which folders were searched.
  public var nothingFound: String {
    "there are no board files in \(alternatives(folders))"
  }
}

extension BoardCatalog.Entry {
  /// Reads the file at `path`.
  fileprivate init(_ name: String, at path: String) {
    self.name = name
    self.path = path
    do throws(BoardError) {
      let file = try BoardFile.read(path)
      board = .success(file.board)
      models = file.models
    } catch {
      board = .failure(error)
      models = BoardFile.models(in: path)
    }
  }
}

extension [BoardCatalog.Entry] {
  /// The board with the longest matching prefix of `model`, as `ModelSearch` finds it; `nil` if no
  /// board matches.
  ///
  /// - Throws: What is wrong with its file; if no file matches, what is wrong with a file that
  ///   might match; or that several boards have the same prefix.
  public func matching(model: String) throws(BoardError) -> BoardCatalog.Entry? {
    var search = ModelSearch()
    for (index, entry) in enumerated() {
      for start in entry.models ?? [] {
        search.look(at: index, start: start.utf8.span, model: model.utf8.span)
      }
    }
    let found: BoardCatalog.Entry?
    switch search.result {
    case .board(let index): found = self[index]
    case .several(let index):
      let start = String(decoding: model.utf8.prefix(search.length), as: UTF8.self)
      let others = self[(index + 1)...].filter { $0.models?.contains(start) == true }
      throw BoardError(
        self[index].path, field: "models",
        "\(BoardError.quoted(start)) is also in \(alternatives(others.map(\.path), "and")): change "
          + "or remove the models of all but one, or name a board with --board")
    // A file with hidden models may be this machine's, so its error is reported.
    case .none: found = first { $0.models == nil }
    }
    guard let found else { return nil }
    _ = try found.board.get()
    return found
  }
}

/// The machine's device tree.
public enum DeviceTree {
  /// This machine's model, such as "Raspberry Pi 4 Model B Rev 1.4"; `nil` without a device tree.
  /// Read from /sys, since a confined service cannot read /proc.
  public static var model: String? {
    guard let text = try? Files.text(of: "/sys/firmware/devicetree/base/model") else { return nil }
    return model(fromProperty: text)
  }

  /// The text of a property, which ends in a zero byte; `nil` if it is empty.
  static func model(fromProperty text: String) -> String? {
    let count = ModelSearch.model(inProperty: text.utf8.span).count
    return count == 0 ? nil : String(decoding: text.utf8.prefix(count), as: UTF8.self)
  }
}
