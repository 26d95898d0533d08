import BluetoothHost

/// The boards in a program's code, in place of board files.
///
/// `board-table` writes one from board files. Its text has one fact a line, the board's name first:
///
///     set shake.line=GPIO18
///     board pi-4b
///     model Raspberry Pi 4 Model B
///     set chip=pinctrl-bcm2711
///
/// The texts after `set` have the form of `--set`. Those before the first board are for all boards, and a board's
/// own override them.
public struct BoardTable: Sendable {
  /// A line of the table.
  private enum Key {
    case board
    case model
    case set

    var start: StaticString {
      switch self {
      case .board: "board "
      case .model: "model "
      case .set: "set "
      }
    }
  }

  private let text: StaticString

  /// The table with this text.
  public init(_ text: StaticString) {
    self.text = text
  }

  /// The number of boards.
  public var count: Int {
    var count = 0
    forEachLine { index, _, _ in count = index &+ 1 }
    return count
  }

  /// The number of the board with this name, from 0; `nil` if there is none.
  public func index(named name: Span<UInt8>) -> Int? {
    var found: Int?
    forEachLine { index, key, value in
      if key == .board, found == nil, value.hasSameBytes(as: name) { found = index }
    }
    return found
  }

  /// Searches the board of a machine with this device tree model.
  public func search(model: Span<UInt8>) -> ModelSearch {
    var search = ModelSearch()
    forEachLine { index, key, value in
      if key == .model { search.look(at: index, start: value, model: model) }
    }
    return search
  }

  /// The board with this number; `nil` if there is none, or if its settings are not valid.
  public func board(at number: Int) -> BoardDescription? {
    var changes = BoardChanges(to: BoardDescription(named: ""))
    var isRight = true
    forEachLine { index, key, value in
      guard index == number || index < 0 else { return }
      switch key {
      case .board: changes.board.name = BoardName(value) ?? BoardName()
      case .model: break
      case .set:
        do throws(BoardFault) {
          try changes.add(value, at: 0)
        } catch {
          isRight = false
        }
      }
    }
    guard isRight, !changes.board.name.isEmpty else { return nil }
    do throws(BoardChangeError) {
      try changes.complete()
      return changes.board
    } catch {
      return nil
    }
  }

  /// Writes the names of all boards, for a message: "pi-4b, pi-5 or virtual".
  @_lifetime(writer: copy writer)
  public func writeNames(to writer: inout ByteWriter) {
    let count = count
    for number in 0..<count {
      if number > 0 { writer.add(number == count - 1 ? " or " : ", ") }
      let name = board(at: number)?.name ?? BoardName()
      writer.add(name.span)
    }
  }

  /// Writes the names of the boards that are not virtual, each followed by a comma.
  @_lifetime(writer: copy writer)
  public func writeNames(ofRealBoardsTo writer: inout ByteWriter) {
    for number in 0..<count {
      var isVirtual = false
      forEachLine { index, key, value in
        guard index == number, key == .set else { return }
        if value.equals("chip=virtual") { isVirtual = true }
      }
      guard !isVirtual else { continue }
      forEachLine { index, key, value in
        guard index == number, key == .board else { return }
        writer.writeShown(value)
        writer.add(", ")
      }
    }
  }

  /// Calls `body` with each line: the number of its board, its key, and the text after the key.
  private func forEachLine(_ body: (Int, Key, Span<UInt8>) -> Void) {
    guard text.hasPointerRepresentation else { return }
    let bytes = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    var rest = unsafe bytes.span
    var index = -1
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.count
      let line = rest.extracting(first: end)
      rest = rest.extracting(droppingFirst: min(end + 1, rest.count))
      guard let key = Self.key(of: line) else { continue }
      if key == .board { index += 1 }
      body(index, key, line.extracting(droppingFirst: key.start.utf8CodeUnitCount))
    }
  }

  private static func key(of line: Span<UInt8>) -> Key? {
    if line.begins(with: Key.board.start) { return .board }
    if line.begins(with: Key.model.start) { return .model }
    return line.begins(with: Key.set.start) ? .set : nil
  }
}
