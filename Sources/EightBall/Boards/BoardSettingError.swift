import BluetoothHost

/// What is wrong with a setting of a board, and what was expected.
public enum BoardSettingError: Error, Equatable, Sendable {
  /// The setting has no "=".
  case noValue
  /// No board has a field of this name.
  case unknownField
  /// A part was set to another value than "none".
  case notNone(BoardPart)
  /// The field does not take this value.
  case wrongValue(BoardField)
  /// The board has no such part, and no setting gives its line.
  case noLine(BoardPart)
  /// The board has no such part, and no setting gives its model.
  case noModel(BoardPart)
  /// The board has no such part, and no setting gives its bus.
  case noBus(BoardPart)
  /// The settings give a line without a known offset.
  case noOffset(BoardPart)
  /// The settings give an offset, and the part still has another line's name.
  case otherName(BoardPart)
  /// Two parts have one line, or one address.
  case clash(BoardClash)
  /// The board has lines and no chip.
  case noChip

  /// Writes what is wrong and what was expected, without a full stop. What does not fit in the
  /// writer is left out: 512 bytes are enough.
  ///
  /// - Parameter setting: the text of the setting, such as "shake.offset=five".
  @_lifetime(writer: copy writer)
  public func write(to writer: inout ByteWriter, of setting: Span<UInt8>) {
    switch self {
    case .noValue:
      writer.add("expected NAME=VALUE, such as shake.line=GPIO23")
    case .unknownField:
      writer.add("unknown field \"")
      writer.writeShown(setting.settingName)
      writer.add(
        """
        ": expected chip, radio, one of shake, clear, status, answer and motion with .line, \
        .offset, .active, .bias or .debounce, or motion or display with .part, .bus, .address or \
        .threshold
        """)
    case .notNone(let part):
      writer.add("expected %=none to do without it, or a field of it, such as %.", part.name)
      writer.add(part.isOnBus ? "bus=i2c-1" : "line=GPIO23")
    case .wrongValue(let field): writer.add("expected %", field.expected)
    case .noLine(let part):
      writer.add(
        "the board has no %: expected its line too, such as %.line=GPIO23", part.name)
    case .noModel(let part):
      writer.add("the board has no %: expected %.part too, ", part.name)
      writer.add((part == .motion ? BoardField.motionPart : .displayPart).expected)
    case .noBus(let part):
      writer.add("the board has no %: expected its bus too, such as %.bus=i2c-1", part.name)
    case .noOffset(let part):
      writer.add(
        "expected its offset too, such as %.offset=23, since its name does not give it",
        part.name)
    case .otherName(let part):
      writer.add(
        "expected its name too, such as %.line=GPIO23, since its old name would find the old line",
        part.name)
    case .clash(let clash):
      clash.writeFields(to: &writer)
      writer.add(": ")
      clash.write(to: &writer)
    case .noChip: writer.add("the board has no chip: expected chip=LABEL too")
    }
  }
}

/// Two parts of a board that have the same line, or the same address on one bus.
public struct BoardClash: Equatable, Sendable {
  /// The later part.
  public var part: BoardPart
  /// The earlier part.
  public var other: BoardPart
  /// What both share: `line` for a name, `offset` for an offset, or `address`.
  public var field: BoardField

  /// Writes the name of the field, such as "clear.offset".
  @_lifetime(writer: copy writer)
  public func writeFields(to writer: inout ByteWriter) {
    writer.add("%.", part.name)
    writer.add(field.name)
  }

  /// Writes what was expected.
  @_lifetime(writer: copy writer)
  public func write(to writer: inout ByteWriter) {
    writer.add(field == .line ? "expected a " : "expected an ")
    writer.add(field.name)
    writer.add(" of its own, not that of %", other.name)
  }
}

extension BoardDescription {
  /// The first two parts with the same line, by name or by offset, or with the same address on one bus;
  /// `nil` if there are none.
  public var clash: BoardClash? {
    let parts = BoardPart.all
    for index in parts.indices {
      guard let line = self[parts[index]] else { continue }
      for earlier in 0..<index {
        guard let field = line.field(sharedWith: self[parts[earlier]]) else { continue }
        return BoardClash(part: parts[index], other: parts[earlier], field: field)
      }
    }
    guard onBus[0].bus != nil, onBus[0].bus == onBus[1].bus,
      onBus[0].address == onBus[1].address
    else { return nil }
    return BoardClash(part: .display, other: .motion, field: .address)
  }
}

extension LineDescription {
  /// The field that both lines share, the name or else the offset; `nil` if the lines differ.
  @inline(never)
  fileprivate func field(sharedWith other: LineDescription?) -> BoardField? {
    guard let other else { return nil }
    return other.name == name ? .line : other.offset == offset ? .offset : nil
  }
}
