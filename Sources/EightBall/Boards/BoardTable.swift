import BluetoothHost

/// A text with several boards, such as `boards/shipped.conf`, which is in the programs.
///
/// The name of each board is in brackets, above its models and its settings. Settings before the first board are for
/// all boards, and a board's own override them.
@safe
public struct BoardTable: @unchecked Sendable {
  private let start: UnsafePointer<UInt8>
  private let size: Int

  /// The table with the text of a literal.
  public init(_ text: StaticString) {
    unsafe self.init(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  /// The table with `count` bytes at `start`, which never change.
  @unsafe
  public init(start: UnsafePointer<UInt8>, count: Int) {
    unsafe self.start = start
    size = count
  }

  /// The number of boards.
  public var count: Int {
    var entries = entries
    while entries.next() != nil {}
    return entries.board &+ 1
  }

  /// The number of the board with this name, from 0; `nil` if there is none.
  public func index(named name: Span<UInt8>) -> Int? {
    var entries = entries
    while let kind = entries.next() {
      if kind == .board, entries.value.hasSameBytes(as: name) { return entries.board }
    }
    return nil
  }

  /// Searches the board of a machine with this device tree model.
  public func search(model: Span<UInt8>) -> ModelSearch {
    var search = ModelSearch()
    var entries = entries
    while let kind = entries.next() {
      if kind == .model {
        search.look(at: entries.board, start: entries.value.settingValue, model: model)
      }
    }
    return search
  }

  /// The board with this number; `nil` if there is none, or if its settings are not valid.
  public func board(at number: Int) -> BoardDescription? {
    var changes = BoardChanges(to: BoardDescription(named: ""))
    var entries = entries
    while let kind = entries.next() {
      guard entries.board == number || entries.board < 0 else { continue }
      switch kind {
      case .board: changes.board.name = BoardName(entries.value) ?? BoardName()
      case .model: break
      case .setting:
        do throws(BoardSettingError) {
          try changes.add(entries.value, at: 0)
        } catch {
          return nil
        }
      }
    }
    guard !changes.board.name.isEmpty else { return nil }
    do throws(BoardChangeError) {
      try changes.complete()
      return changes.board
    } catch {
      return nil
    }
  }

  /// Calls `body` with each model of the board with this number.
  public func forEachModel(ofBoardAt number: Int, _ body: (Span<UInt8>) -> Void) {
    var entries = entries
    while let kind = entries.next() {
      if kind == .model, entries.board == number { body(entries.value.settingValue) }
    }
  }

  /// Writes the names of the boards that are not virtual, each followed by a comma.
  @_lifetime(writer: copy writer)
  public func writeNames(ofRealBoardsTo writer: inout ByteWriter) {
    var entries = entries
    var name = entries.value.extracting(first: 0)
    var kind: BoardLines.Kind?
    repeat {
      kind = entries.next()
      if kind == .setting, entries.value.equals("chip=virtual") { name = name.extracting(first: 0) }
      guard kind == .board || kind == nil else { continue }
      if !name.isEmpty {
        writer.add(name)
        writer.add(", ")
      }
      name = entries.value
    } while kind != nil
  }

  private var entries: Entries {
    @_lifetime(immortal)
    get {
      let bytes = unsafe Span(_unsafeStart: start, count: size)
      return Entries(unsafe _overrideLifetime(bytes, copying: ()))
    }
  }

  /// The lines of a table, with the number of the board that each belongs to.
  private struct Entries: ~Escapable {
    private var lines: BoardLines
    /// The number of the board; -1 before the first.
    private(set) var board = -1

    @_lifetime(copy text)
    init(_ text: Span<UInt8>) {
      lines = BoardLines(text)
    }

    var value: Span<UInt8> {
      @_lifetime(copy self)
      get { lines.value }
    }

    @_lifetime(self: copy self)
    mutating func next() -> BoardLines.Kind? {
      let kind = lines.next()
      if kind == .board { board += 1 }
      return kind
    }
  }
}

/// The search for a machine's board by its device tree model.
///
/// A board's models are prefixes of device tree models. The board with the longest matching prefix
/// is chosen. If two boards have that prefix, none is.
public struct ModelSearch: Sendable {
  /// What a search found.
  public enum Result: Equatable, Sendable {
    /// No board has this model.
    case none
    /// The board with this number has it.
    case board(Int)
    /// Several boards have it; `first` is the number of the first.
    case several(first: Int)
  }

  /// The result so far.
  public private(set) var result = Result.none
  /// The length of the longest matching prefix so far, in bytes.
  public private(set) var length = 0

  /// A search that has seen no board.
  public init() {}

  /// Compares one of the models of a board.
  ///
  /// - Parameters:
  ///   - board: a number of the caller's for the board.
  ///   - start: the prefix of a model.
  ///   - model: the model of this machine.
  public mutating func look(at board: Int, start: Span<UInt8>, model: Span<UInt8>) {
    guard Self.begins(model, with: start), start.count >= length else { return }
    if start.count > length {
      length = start.count
      result = .board(board)
    } else if case .board(let first) = result, first != board {
      result = .several(first: first)
    }
  }

  /// The model in the property `model` of a device tree: the bytes up to a zero byte or a line
  /// break. Empty without such a model.
  @_lifetime(copy property)
  public static func model(inProperty property: Span<UInt8>) -> Span<UInt8> {
    for index in property.indices where property[index] == 0 || property[index] == 0x0A {
      return property.extracting(first: index)
    }
    return property
  }

  /// Whether `start` is a prefix of `model` that ends at a space or at the model's end.
  public static func begins(_ model: Span<UInt8>, with start: Span<UInt8>) -> Bool {
    guard !start.isEmpty, start.count <= model.count,
      model.extracting(first: start.count).hasSameBytes(as: start)
    else { return false }
    return start.count == model.count || model[start.count] == UInt8(ascii: " ")
  }
}
