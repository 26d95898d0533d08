import BluetoothHost

/// One value of a board that replaces the board's own, as `--set` gives it: `shake.line=GPIO23`.
///
/// The names are those of the fields in a board's file. `answer=none` removes a light or a button.
public enum BoardChange: Equatable, Sendable {
  /// `chip=LABEL`.
  case chip(ChipLabel)
  /// `radio=RADIO`. The text is not checked to name one.
  case radio(RadioText)
  /// `PART=none`: the board has no such button or light.
  case remove(BoardPart)
  /// `PART.line=NAME`.
  case line(BoardPart, LineName)
  /// `PART.offset=N`, 0 to 1,023.
  case offset(BoardPart, Int)
  /// `PART.active=low` or `high`: whether low means pressed or lit.
  case activeLow(BoardPart, Bool)
  /// `PART.bias=NAME`.
  case bias(BoardPart, LineDescription.Bias)
  /// `PART.debounce=N`, of a button, in milliseconds, 0 to 1,000.
  case debounce(BoardPart, Int)

  /// Reads a setting.
  ///
  /// - Throws: `noValue`, `unknownField`, `notNone` or `wrongValue`.
  public init(_ text: Span<UInt8>) throws(BoardFault) {
    guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { throw .noValue }
    let name = text.extracting(first: equals)
    let value = text.extracting(droppingFirst: equals + 1)
    guard let dot = name.firstIndex(of: UInt8(ascii: ".")) else {
      self = try Self.whole(name, value)
      return
    }
    guard let part = BoardPart(name.extracting(first: dot)),
      let field = BoardField(ofLine: name.extracting(droppingFirst: dot + 1)), part.has(field)
    else { throw .unknownField }
    guard let change = Self.read(value, part, field) else { throw .wrongValue(field) }
    self = change
  }

  private static func whole(
    _ name: Span<UInt8>, _ value: Span<UInt8>
  ) throws(BoardFault) -> BoardChange {
    if name.hasBytes(of: BoardField.chip.name) {
      guard let label = BoardField.readName(value) else { throw .wrongValue(.chip) }
      return .chip(label)
    }
    if name.hasBytes(of: BoardField.radio.name) {
      guard let radio = BoardField.readRadio(value) else { throw .wrongValue(.radio) }
      return .radio(radio)
    }
    guard let part = BoardPart(name) else { throw .unknownField }
    guard value.hasBytes(of: "none") else { throw .notNone(part) }
    return .remove(part)
  }

  private static func read(
    _ value: Span<UInt8>, _ part: BoardPart, _ field: BoardField
  ) -> BoardChange? {
    switch field {
    case .line:
      guard let name = BoardField.readName(value) else { return nil }
      return .line(part, name)
    case .offset:
      guard let offset = BoardField.readOffset(value) else { return nil }
      return .offset(part, offset)
    case .active:
      guard let isLow = BoardField.readActiveLow(value) else { return nil }
      return .activeLow(part, isLow)
    case .bias:
      guard let bias = BoardField.readBias(value) else { return nil }
      return .bias(part, bias)
    case .debounce:
      guard let time = BoardField.readDebounce(value) else { return nil }
      return .debounce(part, time)
    case .models, .chip, .radio: return nil
    }
  }
}
