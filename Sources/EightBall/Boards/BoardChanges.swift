import BluetoothHost

/// A setting that contradicts the board or another setting.
public struct BoardChangeError: Error, Equatable, Sendable {
  /// The index that `BoardChanges.add` was given for the setting.
  public var index: Int
  /// What is wrong.
  public var cause: BoardSettingError
}

/// A board that settings change one after the other, as with `--set`: `shake.line=GPIO23`. The last
/// setting of a field counts.
///
/// The names are those of the fields in a board's file. `answer=none` removes a part.
/// A new line named GPIO and a number has that number as its offset, as on every Raspberry Pi, and
/// the other way round; with another name the offset must be set too. A button or light that the
/// board lacks is added, wired as on the shipped boards. A motion sensor or display needs its model and
/// its bus, and has its model's usual address if none is set.
public struct BoardChanges: Sendable {
  /// The settings of one part.
  private struct OfPart: Sendable {
    /// The indices of the settings of its name and its offset; `nil` for none.
    var name: Int?
    var offset: Int?
    /// The index of its last setting; `nil` for none since it was removed.
    var last: Int?
  }

  /// The board so far. Before `complete`, lines may lack a name or an offset, and there is no motion
  /// sensor or display that lacks a model, a bus or an address.
  public internal(set) var board: BoardDescription

  private var parts = InlineArray<6, OfPart>(repeating: OfPart())
  private var last: Int?

  /// Changes to `board`.
  public init(to board: BoardDescription) {
    self.board = board
  }

  /// Changes to an empty board, as for `--board none`. It is named `custom`, or `none` without any
  /// change.
  public init() {
    board = BoardDescription(named: BoardDescription.noBoard)
  }

  /// Reads a setting, and changes the board.
  ///
  /// - Parameters:
  ///   - setting: Such as `chip=LABEL`, `shake.offset = 23` or `answer=none`. A `radio` text is not
  ///     checked.
  ///   - index: A number of the caller's for the setting, such as its position on the command line;
  ///     `BoardChangeError` gives it back.
  /// - Throws: `noValue`, `unknownField`, `notNone` or `wrongValue`. Nothing is changed then.
  public mutating func add(_ setting: Span<UInt8>, at index: Int) throws(BoardSettingError) {
    guard let equals = setting.firstIndex(of: UInt8(ascii: "=")) else { throw .noValue }
    let name = setting.extracting(first: equals).trimmed
    let value = setting.extracting(droppingFirst: equals + 1).trimmed
    let dot = name.firstIndex(of: UInt8(ascii: "."))
    if let part = BoardPart(name.extracting(first: dot ?? name.count)) {
      if let dot {
        try set(part, name.extracting(droppingFirst: dot + 1), value, at: index)
      } else {
        guard value.equals(BoardDescription.noBoard) else { throw .notNone(part) }
        board[part] = nil
        if part.isOnBus { board.onBus[part.busIndex] = BusSettings() }
        parts[part.index] = OfPart()
      }
    } else if name.equals(BoardField.chip.name) {
      guard let label = BoardField.readName(value) else { throw .wrongValue(.chip) }
      board.chip = label
    } else if name.equals(BoardField.radio.name) {
      guard let radio = BoardField.readRadio(value) else { throw .wrongValue(.radio) }
      board.radio = radio
    } else {
      throw .unknownField
    }
    last = index
  }

  /// Sets a field of a part.
  private mutating func set(
    _ part: BoardPart, _ name: Span<UInt8>, _ value: Span<UInt8>, at index: Int
  ) throws(BoardSettingError) {
    guard let field = BoardField(name, of: part) else { throw .unknownField }
    var line = board[part] ?? part.usualLine
    guard line.set(field, value) || board.onBus[part.busIndex].set(field, value, of: part) else {
      throw .wrongValue(field)
    }
    board[part] = line
    parts[part.index].last = index
    if field == .line { parts[part.index].name = index }
    if field == .offset { parts[part.index].offset = index }
  }

  /// Completes the board: derives a name from an offset and an offset from a name.
  ///
  /// - Throws: The wrong setting, and what was expected. The board cannot be used then.
  public mutating func complete() throws(BoardChangeError) {
    guard let last else { return }
    let all = BoardPart.all
    for index in all.indices {
      try complete(all[index])
    }
    if let clash = board.clash {
      throw BoardChangeError(index: parts[clash.part.index].last ?? last, cause: .clash(clash))
    }
    if board.hasLines, board.chip == nil { throw BoardChangeError(index: last, cause: .noChip) }
    if board.name.span.equals(BoardDescription.noBoard) { board.name = "custom" }
  }

  private mutating func complete(_ part: BoardPart) throws(BoardChangeError) {
    let changes = parts[part.index]
    guard let last = changes.last else { return }
    if part.isOnBus, let cause = board.onBus[part.busIndex].complete(part) {
      throw BoardChangeError(index: last, cause: cause)
    }
    guard var line = board[part] else { return }
    guard !line.name.isEmpty else {
      throw BoardChangeError(index: last, cause: .noLine(part))
    }
    let number = line.name.span.gpioNumber
    if let name = changes.name, changes.offset == nil {
      guard let number else { throw BoardChangeError(index: name, cause: .noOffset(part)) }
      line.offset = number
    } else if let offset = changes.offset, changes.name == nil {
      // A line is found by its name first: the old name would find the old line.
      guard number != nil else {
        throw BoardChangeError(index: offset, cause: .otherName(part))
      }
      line.name = LineName(gpioNumber: line.offset)
    }
    board[part] = line
  }
}

extension LineDescription {
  /// Sets a field; `false`, and nothing changes, if it does not take `value`.
  fileprivate mutating func set(_ field: BoardField, _ value: Span<UInt8>) -> Bool {
    switch field {
    case .line:
      guard let name = BoardField.readName(value) else { return false }
      self.name = name
    case .offset:
      guard let offset = BoardField.readOffset(value) else { return false }
      self.offset = offset
    case .active:
      guard let isLow = BoardField.readActiveLow(value) else { return false }
      activeLow = isLow
    case .bias:
      guard let bias = BoardField.readBias(value) else { return false }
      self.bias = bias
    case .debounce:
      guard let time = BoardField.readDebounce(value) else { return false }
      debounceMilliseconds = time
    default: return false
    }
    return true
  }
}
