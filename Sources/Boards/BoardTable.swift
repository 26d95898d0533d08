import BluetoothHost

/// The boards in a program's code, in place of board files.
///
/// `board-table` writes one from board files. Its text has one fact a line. `@` begins the name of a board, and `=`
/// one of its models. Every other line is a setting, with the form of `--set`:
///
///     shake.line=GPIO18
///     @pi-4b
///     =Raspberry Pi 4 Model B
///     chip=pinctrl-bcm2711
///
/// Settings before the first board are for all boards, and a board's own override them.
public struct BoardTable: Sendable {
  private let text: StaticString

  /// The table with this text.
  public init(_ text: StaticString) {
    self.text = text
  }

  /// The number of boards.
  public var count: Int {
    var lines = lines
    while lines.next() != nil {}
    return lines.board &+ 1
  }

  /// The number of the board with this name, from 0; `nil` if there is none.
  public func index(named name: Span<UInt8>) -> Int? {
    var lines = lines
    while let key = lines.next() {
      if key == .board, lines.value.hasSameBytes(as: name) { return lines.board }
    }
    return nil
  }

  /// Searches the board of a machine with this device tree model.
  public func search(model: Span<UInt8>) -> ModelSearch {
    var search = ModelSearch()
    var lines = lines
    while let key = lines.next() {
      if key == .model { search.look(at: lines.board, start: lines.value, model: model) }
    }
    return search
  }

  /// The board with this number; `nil` if there is none, or if its settings are not valid.
  public func board(at number: Int) -> BoardDescription? {
    var changes = BoardChanges(to: BoardDescription(named: ""))
    var lines = lines
    while let key = lines.next() {
      guard lines.board == number || lines.board < 0 else { continue }
      switch key {
      case .board: changes.board.name = BoardName(lines.value) ?? BoardName()
      case .model: break
      case .setting:
        do throws(BoardFault) {
          try changes.add(lines.value, at: 0)
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

  /// Writes the names of the boards that are not virtual, each followed by a comma.
  @_lifetime(writer: copy writer)
  public func writeNames(ofRealBoardsTo writer: inout ByteWriter) {
    var lines = lines
    var name = lines.value.extracting(first: 0)
    var key: Lines.Key?
    repeat {
      key = lines.next()
      if key == .setting, lines.value.equals("chip=virtual") { name = name.extracting(first: 0) }
      guard key == .board || key == nil else { continue }
      if !name.isEmpty {
        writer.add(name)
        writer.add(", ")
      }
      name = lines.value
    } while key != nil
  }

  private var lines: Lines {
    @_lifetime(immortal) get { Lines(text) }
  }

  /// The lines of a table, one after another.
  private struct Lines: ~Escapable {
    enum Key {
      case board
      case model
      case setting
    }

    /// The number of the board that the line belongs to; -1 before the first.
    private(set) var board = -1
    /// The text of the line without the mark of its key.
    private(set) var value: Span<UInt8>
    private var rest: Span<UInt8>

    @_lifetime(immortal)
    init(_ text: StaticString) {
      guard text.hasPointerRepresentation else {
        value = Span()
        rest = Span()
        return
      }
      let bytes = unsafe Span(_unsafeStart: text.utf8Start, count: text.utf8CodeUnitCount)
      rest = unsafe _overrideLifetime(bytes, copying: ())
      value = rest
    }

    /// Goes to the next line that is not empty.
    ///
    /// - Returns: What it states; `nil` at the end.
    @inline(never)  // Four functions call it.
    @_lifetime(self: copy self)
    mutating func next() -> Key? {
      while !rest.isEmpty {
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.count
        value = rest.extracting(first: end)
        rest = rest.extracting(droppingFirst: min(end + 1, rest.count))
        guard !value.isEmpty else { continue }
        let key: Key =
          switch value[0] {
          case UInt8(ascii: "@"): .board
          case UInt8(ascii: "="): .model
          default: .setting
          }
        guard key != .setting else { return key }
        value = value.extracting(droppingFirst: 1)
        if key == .board { board += 1 }
        return key
      }
      return nil
    }
  }
}
