import BluetoothHost

/// A setting that does not fit the board, or the other settings.
public struct BoardChangeError: Error, Equatable, Sendable {
  /// The number that `BoardChanges.add` was given with the setting.
  public var index: Int
  /// What is wrong.
  public var fault: BoardFault
}

/// All changes to a board that a command line asks for, the last one of a field counting.
///
/// A new line called GPIO and a number also has that number for its offset, as on every Raspberry Pi,
/// and the other way round; another name needs its offset with it. A button or light that the board
/// does not have is added, wired as those of the shipped boards are.
public struct BoardChanges: Sendable {
  /// The changes of a button or a light.
  private struct OfPart: Sendable {
    /// Whether the board's own line is removed.
    var isRemoved = false
    // What replaces the values of the board's own line, or of a usual one.
    var name: LineName?
    var offset: Int?
    var activeLow: Bool?
    var bias: LineDescription.Bias?
    var debounce: Int?
    /// The indices of the settings that gave the name and the offset, and of the last one.
    var nameIndex = 0
    var offsetIndex = 0
    var lastIndex: Int?

    var hasValues: Bool {
      name != nil || offset != nil || activeLow != nil || bias != nil || debounce != nil
    }
  }

  private var chip: ChipLabel?
  private var radio: RadioText?
  private var parts = InlineArray<4, OfPart>(repeating: OfPart())
  private var lastIndex: Int?

  /// No changes.
  public init() {}

  /// Whether there are none.
  public var isEmpty: Bool { lastIndex == nil }

  /// Adds a change.
  ///
  /// - Parameter index: a number of the caller's, such as the place of the setting in the command line,
  ///   by which `BoardChangeError` names it.
  public mutating func add(_ change: BoardChange, at index: Int) {
    lastIndex = index
    switch change {
    case .chip(let label): chip = label
    case .radio(let text): radio = text
    case .remove(let part):
      self[part] = OfPart()
      self[part].isRemoved = true
      self[part].lastIndex = index
    case .line(let part, let name):
      self[part].name = name
      self[part].nameIndex = index
      self[part].lastIndex = index
    case .offset(let part, let offset):
      self[part].offset = offset
      self[part].offsetIndex = index
      self[part].lastIndex = index
    case .activeLow(let part, let isLow):
      self[part].activeLow = isLow
      self[part].lastIndex = index
    case .bias(let part, let bias):
      self[part].bias = bias
      self[part].lastIndex = index
    case .debounce(let part, let time):
      self[part].debounce = time
      self[part].lastIndex = index
    }
  }

  /// Changes `board`.
  ///
  /// - Throws: Which setting is wrong, and what was expected. Nothing is changed then.
  public func apply(to board: inout BoardDescription) throws(BoardChangeError) {
    guard let lastIndex else { return }
    var changed = board
    if let chip { changed.chip = chip }
    if let radio { changed.radio = radio }
    let parts = BoardPart.all
    for index in parts.indices {
      changed[parts[index]] = try line(of: parts[index], board[parts[index]])
    }
    if let clash = changed.clash {
      throw BoardChangeError(index: self[clash.part].lastIndex ?? lastIndex, fault: .clash(clash))
    }
    if changed.hasLines, changed.chip == nil {
      throw BoardChangeError(index: lastIndex, fault: .noChip)
    }
    board = changed
  }

  /// The board that the changes describe from nothing, as `--board none` asks for it: called `custom`,
  /// or `none` without any change.
  ///
  /// - Throws: Which setting is wrong, and what was expected.
  public func describe() throws(BoardChangeError) -> BoardDescription {
    var board = BoardDescription(named: isEmpty ? "none" : "custom")
    try apply(to: &board)
    return board
  }

  /// The line of a button or a light that had the line `old`.
  private func line(
    of part: BoardPart, _ old: LineDescription?
  ) throws(BoardChangeError) -> LineDescription? {
    let changes = self[part]
    let base = changes.isRemoved ? nil : old
    guard changes.hasValues, let lastIndex = changes.lastIndex else { return base }
    var line = base ?? part.usualLine
    if let name = changes.name { line.name = name }
    if let offset = changes.offset { line.offset = offset }
    if let activeLow = changes.activeLow { line.activeLow = activeLow }
    if let bias = changes.bias { line.bias = bias }
    if let debounce = changes.debounce { line.debounceMilliseconds = debounce }
    guard !line.name.isEmpty else {
      throw BoardChangeError(index: lastIndex, fault: .noLine(part))
    }
    // Where only one of a name and an offset is given, the other follows from it.
    if changes.name != nil, changes.offset == nil {
      guard let number = line.name.gpioNumber else {
        throw BoardChangeError(index: changes.nameIndex, fault: .noOffset(part))
      }
      line.offset = number
    } else if changes.name == nil, changes.offset != nil {
      // A line is looked for by its name first: the old name would find the old line.
      guard line.name.gpioNumber != nil else {
        throw BoardChangeError(index: changes.offsetIndex, fault: .otherName(part, line.name))
      }
      line.name = LineName(gpioNumber: line.offset)
    }
    return line
  }

  private subscript(part: BoardPart) -> OfPart {
    get { parts[part.index] }
    set { parts[part.index] = newValue }
  }
}
