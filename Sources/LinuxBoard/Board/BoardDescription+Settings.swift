import Boards

extension BoardDescription {
  /// The settings for `--set` that describe this whole board, except its name.
  public var settings: [String] {
    var settings: [String] = []
    if let chip { settings.append("\(BoardField.chip.name)=\(chip)") }
    if let radio { settings.append("\(BoardField.radio.name)=\(radio)") }
    for part in BoardPart.allCases {
      guard let line = self[part] else { continue }
      let values: [(field: BoardField, text: String)] = [
        (.line, line.name.description), (.offset, "\(line.offset)"),
        (.active, line.activeLow ? "low" : "high"), (.bias, line.bias.name.description),
        (.debounce, "\(line.debounceMilliseconds)"),
      ]
      for value in values where part.has(value.field) {
        settings.append("\(part).\(value.field.name)=\(value.text)")
      }
    }
    return settings
  }
}
