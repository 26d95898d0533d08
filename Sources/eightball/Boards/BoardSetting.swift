import BluetoothHost
import EightBall
import LinuxRadio

/// Overrides one field of a board's file: `shake.line=GPIO23`.
///
/// The names are those of the fields in a board's file. `answer=none` removes a part.
struct BoardSetting: Equatable, Sendable {
  /// The setting as given.
  let text: String

  /// Reads a setting.
  ///
  /// - Throws: If it is not NAME=VALUE, or the name or the value is wrong.
  init(_ text: String) throws(BoardError) {
    self.text = text
    do throws(BoardSettingError) {
      var changes = BoardChanges()
      try changes.add(text.utf8.span, at: 0)
      if let radio = changes.board.radio, !isRadio(radio.description) {
        throw .wrongValue(.radio)
      }
    } catch {
      throw BoardError(error, of: text)
    }
  }
}

extension BoardDescription {
  /// The board that `settings` alone describe, as `BoardChanges` does.
  ///
  /// - Throws: Which setting is wrong, and what was expected.
  init(describedBy settings: [BoardSetting]) throws(BoardError) {
    self.init(named: Self.noBoard)
    try apply(settings)
  }

  /// Applies `settings`, as `BoardChanges` does.
  ///
  /// - Throws: Which setting is wrong, and what was expected. Nothing is changed then.
  mutating func apply(_ settings: [BoardSetting]) throws(BoardError) {
    var changes = BoardChanges(to: self)
    for (index, setting) in settings.enumerated() {
      do throws(BoardSettingError) {
        try changes.add(setting.text.utf8.span, at: index)
      } catch {
        throw BoardError(error, of: setting.text)
      }
    }
    do throws(BoardChangeError) {
      try changes.complete()
    } catch {
      throw BoardError(error.cause, of: settings[error.index].text)
    }
    self = changes.board
  }
}

extension BoardError {
  /// What is wrong with the setting `text`.
  fileprivate init(_ error: BoardSettingError, of text: String) {
    let problem =
      error == .wrongValue(.radio)
      ? "expected \(BoardField.radio.expectedWords)"
      : String(writing: { error.write(to: &$0, of: text.utf8.span) })
    self.init("--set \(BoardError.shown(text))", problem)
  }
}

extension BoardDescription {
  /// The settings for `--set` that describe this whole board, except its name.
  var settings: [String] { settings(leavingOutUsual: false) }

  /// The same without those that the others imply, as a person would write them: the offset of a line called GPIO18, the
  /// usual wiring of a part, and its usual address.
  var fewestSettings: [String] { settings(leavingOutUsual: true) }

  private func settings(leavingOutUsual isShort: Bool) -> [String] {
    var settings: [String] = []
    if let chip { settings.append("\(BoardField.chip.name)=\(chip)") }
    if let radio { settings.append("\(BoardField.radio.name)=\(radio)") }
    for part in BoardPart.allCases {
      for value in busValues(of: part) + lineValues(of: part)
      where part.has(value.field) && !(isShort && value.isUsual) {
        settings.append("\(part).\(value.field.name)=\(value.text)")
      }
    }
    return settings
  }

  /// The value of a field, and whether it is what a board has that leaves it out.
  private typealias FieldValue = (field: BoardField, text: String, isUsual: Bool)

  private func lineValues(of part: BoardPart) -> [FieldValue] {
    guard let line = self[part] else { return [] }
    let usual = part.usualLine
    return [
      (.line, line.name.description, false),
      (.offset, "\(line.offset)", line.name.gpioNumber == line.offset),
      (.active, line.activeLow ? "low" : "high", line.activeLow == usual.activeLow),
      (.bias, line.bias.name.description, line.bias == usual.bias),
      (
        .debounce, "\(line.debounceMilliseconds)",
        line.debounceMilliseconds == usual.debounceMilliseconds
      ),
    ]
  }

  private func busValues(of part: BoardPart) -> [FieldValue] {
    guard let place = self[onBus: part] else { return [] }
    var values: [FieldValue] = [
      (part == .motion ? .motionPart : .displayPart, place.model.name.description, false),
      (.bus, place.busName, false),
      (.address, place.addressText, place.address == place.model.usualAddress),
    ]
    if let motion, part == .motion {
      let isUsual = motion.threshold == MotionDescription.usualThreshold
      values.append((.threshold, "\(motion.threshold)", isUsual))
    }
    return values
  }
}

extension BusPart {
  /// Its bus in a board's file: "i2c-1".
  var busName: String { String(writing: { writeBus(to: &$0) }) }

  /// Its address in a board's file: "0x18".
  var addressText: String { String(writing: { writeAddress(to: &$0) }) }
}

extension BoardDescription {
  /// The radio to use if the command line names none; `nil` for the first usable one.
  var radioName: RadioAddress? { radio.flatMap { try? RadioAddress($0.description) } }
}

/// What is wrong with a board's file or with an option about a board.
///
/// Prints as one line: "my-board.conf:7: shake.offset: expected a whole number from 0 to 1023,
/// not "five"".
struct BoardError: Error, Equatable, CustomStringConvertible {
  /// Where the error is: a file's path, or an option.
  var source: String
  /// The line of the file, counted from 1; `nil` if the error is not in one line.
  var line: Int?
  /// The field, such as "shake.offset"; `nil` if the error is not in one field.
  var field: String?
  /// What is wrong, and what was expected.
  var problem: String

  /// An error at `source`.
  init(_ source: String, line: Int? = nil, field: String? = nil, _ problem: String) {
    self.source = source
    self.line = line
    self.field = field
    self.problem = problem
  }

  /// What is wrong and where, in a sentence without its full stop.
  var description: String {
    var text = source
    if let line { text += ":\(line)" }
    if let field { text += ": \(field)" }
    return "\(text): \(problem)"
  }

  /// `shown(text)` in quotes.
  static func quoted(_ text: String) -> String { "\"\(shown(text))\"" }

  /// `text`, shortened and without control characters.
  static func shown(_ text: String) -> String {
    String(writing: { $0.writeShown(text.utf8.span) })
  }
}

/// "a", "a or b", "a, b or c".
func alternatives(_ names: [String], _ conjunction: String = "or") -> String {
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
}
