import Boards

extension BoardDescription {
  /// The settings for `--set` that describe this whole board, except its name.
  public var settings: [String] { settings(leavingOutUsual: false) }

  /// The same without those that the others imply, as a person would write them: the offset of a line called GPIO18, and
  /// the usual wiring of a button or a light.
  var fewestSettings: [String] { settings(leavingOutUsual: true) }

  private func settings(leavingOutUsual isShort: Bool) -> [String] {
    var settings: [String] = []
    if let chip { settings.append("\(BoardField.chip.name)=\(chip)") }
    if let radio { settings.append("\(BoardField.radio.name)=\(radio)") }
    for part in BoardPart.allCases {
      guard let line = self[part] else { continue }
      let usual = part.usualLine
      let values: [(field: BoardField, text: String, isUsual: Bool)] = [
        (.line, line.name.description, false),
        (.offset, "\(line.offset)", line.name.gpioNumber == line.offset),
        (.active, line.activeLow ? "low" : "high", line.activeLow == usual.activeLow),
        (.bias, line.bias.name.description, line.bias == usual.bias),
        (
          .debounce, "\(line.debounceMilliseconds)",
          line.debounceMilliseconds == usual.debounceMilliseconds
        ),
      ]
      for value in values where part.has(value.field) && !(isShort && value.isUsual) {
        settings.append("\(part).\(value.field.name)=\(value.text)")
      }
    }
    return settings
  }
}
