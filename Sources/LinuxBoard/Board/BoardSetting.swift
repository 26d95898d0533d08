/// One value of a board that is to be other than its file says: `shake.line=GPIO23`.
///
/// The names are those of the fields in a board's file. `answer=none` takes a light or a button
/// away.
public struct BoardSetting: Equatable, Sendable {
  /// The field, such as "shake.line".
  let name: String
  let value: String

  /// Reads a setting.
  ///
  /// - Throws: If it is not of the form NAME=VALUE, no board has a field of that name, or the field
  ///   takes no such value.
  public init(_ text: String) throws(BoardError) {
    guard let equals = text.firstIndex(of: "=") else {
      throw BoardError(Self.place(text), "expected NAME=VALUE, such as shake.line=GPIO23")
    }
    name = String(text[..<equals])
    value = String(text[text.index(after: equals)...])
    guard Self.names.contains(name) else {
      throw BoardError(
        Self.place(text),
        "unknown field \(BoardError.quoted(name)): expected "
          + "chip, radio, or one of shake, clear, status and answer with .line, .offset, .active, "
          + ".bias or .debounce")
    }
    if BoardPart(rawValue: name) != nil, value != "none" {
      throw BoardError(
        Self.place(text),
        "expected \(name)=none to do without it, or a field of it, such as "
          + "\(name).line=GPIO23")
    }
    switch name.split(separator: ".").last {
    case "chip": _ = try read(.chip)
    case "radio": _ = try read(.radio)
    case "line": _ = try read(.line)
    case "offset": _ = try read(.offset)
    case "active": _ = try read(.active)
    case "bias": _ = try read(.bias)
    case "debounce": _ = try read(.debounce)
    default: break
    }
  }

  private static let names =
    ["chip", "radio"]
    + BoardPart.allCases.flatMap { part in
      [part.rawValue] + part.fields.all.map { "\(part.rawValue).\($0)" }
    }

  fileprivate static func place(_ text: String) -> String { "--set \(BoardError.shown(text))" }

  /// An error about this setting.
  fileprivate func error(_ problem: String) -> BoardError {
    BoardError(Self.place("\(name)=\(value)"), problem)
  }

  /// The value as a field takes it.
  fileprivate func read<Value>(_ field: BoardField<Value>) throws(BoardError) -> Value {
    guard let value = field.read(value) else { throw error("expected \(field.expected)") }
    return value
  }
}

extension BoardDescription {
  /// Changes what `settings` say, the last one of a name counting.
  ///
  /// A new line called GPIO and a number also has that number for its offset, as it is on every
  /// Raspberry Pi, and the other way round; another name needs its offset with it. A button or
  /// light that the board does not have is added, wired as those of the shipped boards are.
  ///
  /// - Throws: Which setting is wrong, and what was expected. Nothing is changed then.
  public mutating func apply(_ settings: [BoardSetting]) throws(BoardError) {
    var changed = self
    for setting in settings {
      switch setting.name {
      case "chip":
        let label = try setting.read(.chip)
        changed.chip = label
        changed.isVirtual = label == Self.virtualChip
      case "radio":
        changed.radio = try setting.read(.radio)
      default: break
      }
    }
    for part in BoardPart.allCases {
      let ofPart = settings.filter { $0.name.split(separator: ".").first ?? "" == part.rawValue }
      guard let last = ofPart.last else { continue }
      try changed.change(part, ofPart, last)
    }
    if let last = settings.last {
      if let clash = changed.clash() {
        let setting = settings.last { $0.name.hasPrefix(clash.part.rawValue) } ?? last
        throw setting.error("\(clash.part.rawValue).\(clash.field): \(clash.problem)")
      }
      if changed.hasLines, changed.chip == nil {
        throw last.error("the board has no chip: expected --set chip=LABEL with it")
      }
    }
    self = changed
  }

  /// Changes a button or a light.
  private mutating func change(
    _ part: BoardPart, _ settings: [BoardSetting], _ last: BoardSetting
  ) throws(BoardError) {
    var line = self[keyPath: part.path]
    var nameSetting: BoardSetting?
    var offsetSetting: BoardSetting?
    for setting in settings {
      guard let field = setting.name.split(separator: ".").dropFirst().first else {
        line = nil
        nameSetting = nil
        offsetSetting = nil
        continue
      }
      var changed = line ?? part.usualLine
      switch field {
      case "line":
        changed.name = try setting.read(.line)
        nameSetting = setting
      case "offset":
        changed.offset = try setting.read(.offset)
        offsetSetting = setting
      case "active": changed.activeLow = try setting.read(.active)
      case "bias": changed.bias = try setting.read(.bias)
      case "debounce": changed.debounceMilliseconds = try setting.read(.debounce)
      default: break
      }
      line = changed
    }
    if let changed = line {
      line = try Self.complete(changed, part, nameSetting, offsetSetting, last)
    }
    self[keyPath: part.path] = line
  }

  /// Makes a line's name and offset fit each other where only one of them was told.
  private static func complete(
    _ line: LineDescription, _ part: BoardPart, _ nameSetting: BoardSetting?,
    _ offsetSetting: BoardSetting?, _ last: BoardSetting
  ) throws(BoardError) -> LineDescription {
    var line = line
    guard !line.name.isEmpty else {
      throw last.error(
        "the board has no \(part.rawValue): expected its line too, such as "
          + "--set \(part.rawValue).line=GPIO23")
    }
    switch (nameSetting, offsetSetting) {
    case (let setting?, nil):
      guard let number = GPIONumber.of(line.name) else {
        throw setting.error(
          "expected its offset too, such as --set \(part.rawValue).offset=23, since its name does "
            + "not tell")
      }
      line.offset = number
    case (nil, let setting?):
      // A line is looked for by its name first: the old name would find the old line.
      guard GPIONumber.of(line.name) != nil else {
        throw setting.error(
          "expected its name too, such as --set \(part.rawValue).line=GPIO23, since \(line.name) "
            + "would still be found by its own")
      }
      line.name = "GPIO\(line.offset)"
    default: break
    }
    return line
  }
}

extension BoardPart {
  /// How it is wired unless told: a button to ground, a light from the line to ground.
  fileprivate var usualLine: LineDescription {
    LineDescription(
      name: "", offset: 0, activeLow: isButton, bias: isButton ? .pullUp : .none,
      debounceMilliseconds: isButton ? 20 : 0)
  }
}

/// The numbers in the names that Raspberry Pis give their lines.
enum GPIONumber {
  /// 23 for "GPIO23"; `nil` for other names.
  static func of(_ name: String) -> Int? {
    guard name.hasPrefix("GPIO") else { return nil }
    let digits = name.dropFirst(4)
    guard let number = BoardField<Int>.offset.read(String(digits)), String(number) == digits
    else { return nil }
    return number
  }
}
