import Boards
import LinuxSystem

/// The board files of this machine, in the folders where they are looked for.
///
/// A file of an earlier folder hides those of its name in later ones.
public struct BoardCatalog: Equatable, Sendable {
  /// A board's file.
  public struct Entry: Sendable {
    /// What the board is called.
    public var name: String
    /// Where its file is.
    public var path: String
    /// What the file says, or what is wrong with it.
    public var board: Result<BoardDescription, BoardError>
    /// How the device tree's models begin that are this board; `nil` if what is wrong with the
    /// file hides them.
    public var models: [String]?
  }

  /// Where boards are looked for, whether there is such a folder or not.
  public var folders: [String]

  /// The boards in `folders`, the first of which is looked in first.
  public init(folders: [String]) {
    self.folders = folders
  }

  /// The folders for a program at `programPath`: `boards` beside it; `boards` in the checkout that
  /// it was built in; where it and the system were installed.
  public init(programPath: String = Process.programPath) {
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

  /// "/usr/bin" for "/usr/bin/eightball"; `nil` for "/" and for what is not a whole path.
  private static func parent(of path: String) -> String? {
    guard path.utf8.count > 1, let slash = path.lastIndex(of: "/") else { return nil }
    return String(path[..<slash])
  }

  /// The boards, sorted by name; those whose file is wrong among them.
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
  /// - Parameter option: What the text was given with, for errors.
  /// - Throws: What is wrong with its file, or what there is to choose from.
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
      let place = "\(option) \(BoardError.shown(text))"
      guard !entries.isEmpty else { throw BoardError(place, "\(nothingFound); name a file") }
      throw BoardError(
        place, "expected \(alternatives(entries.map(\.name))), or a file such as ./my-board.yml")
    }
    _ = try entry.board.get()
    return entry
  }

  /// The board that `text` names, as `entry` finds it.
  public func board(_ text: String) throws(BoardError) -> BoardDescription {
    try entry(text).board.get()
  }

  /// What to do where no board was found, as the end of a sentence.
  public static let howToName = "--board names one, as eightball boards lists them"

  /// That no folder has a board, and where they were looked for.
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
  /// The board with the longest beginning of `model`, as `ModelSearch` finds it; `nil` if there is
  /// none.
  ///
  /// - Throws: What is wrong with its file, or with a file that may be its, if no other is; and if
  ///   several boards have that same beginning.
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
    // A fault in a file that may be this machine's is reported: the ball may lack its board.
    case .none: found = first { $0.models == nil }
    }
    guard let found else { return nil }
    _ = try found.board.get()
    return found
  }
}

/// The machine's own name for its kind.
public enum DeviceTree {
  /// What the device tree says that this machine is, such as "Raspberry Pi 4 Model B Rev 1.4";
  /// `nil` if there is no device tree. Read where a service finds it that may not look at /proc.
  public static var model: String? {
    guard let text = try? Files.text(of: "/sys/firmware/devicetree/base/model") else { return nil }
    return model(fromProperty: text)
  }

  /// The text of a property, which ends in a zero byte; `nil` if it says nothing.
  static func model(fromProperty text: String) -> String? {
    let count = ModelSearch.model(inProperty: text.utf8.span).count
    return count == 0 ? nil : String(decoding: text.utf8.prefix(count), as: UTF8.self)
  }
}
