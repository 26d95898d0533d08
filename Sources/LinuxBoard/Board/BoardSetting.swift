import Boards

/// One value of a board that replaces the one of its file: `shake.line=GPIO23`.
///
/// The names are those of the fields in a board's file. `answer=none` removes a light or a button.
public struct BoardSetting: Equatable, Sendable {
  /// As it was given.
  let text: String
  let change: BoardChange

  /// Reads a setting.
  ///
  /// - Throws: If it is not of the form NAME=VALUE, no board has a field of that name, or the field
  ///   takes no such value.
  public init(_ text: String) throws(BoardError) {
    self.text = text
    do throws(BoardFault) {
      change = try BoardChange(text.utf8.span)
      if case .radio(let radio) = change, FileField.radio.read(radio.description) == nil {
        throw .wrongValue(.radio)
      }
    } catch {
      throw BoardError(error, of: text)
    }
  }
}

extension BoardDescription {
  /// The board that `settings` describe from nothing, as `BoardChanges.describe` does.
  ///
  /// - Throws: Which setting is wrong, and what was expected.
  public init(describedBy settings: [BoardSetting]) throws(BoardError) {
    do throws(BoardChangeError) {
      self = try BoardChanges(settings).describe()
    } catch {
      throw BoardError(error, in: settings)
    }
  }

  /// Changes what `settings` say, as `BoardChanges` does.
  ///
  /// - Throws: Which setting is wrong, and what was expected. Nothing is changed then.
  public mutating func apply(_ settings: [BoardSetting]) throws(BoardError) {
    do throws(BoardChangeError) {
      try BoardChanges(settings).apply(to: &self)
    } catch {
      throw BoardError(error, in: settings)
    }
  }
}

extension BoardChanges {
  /// Those of `settings`, each by its index.
  fileprivate init(_ settings: [BoardSetting]) {
    self.init()
    for (index, setting) in settings.enumerated() { add(setting.change, at: index) }
  }
}

extension BoardError {
  /// What is wrong with one of `settings`.
  fileprivate init(_ error: BoardChangeError, in settings: [BoardSetting]) {
    self.init(error.fault, of: settings[error.index].text)
  }

  /// What is wrong with the setting `text`.
  fileprivate init(_ fault: BoardFault, of text: String) {
    let problem =
      fault == .wrongValue(.radio)
      ? "expected \(BoardField.radio.expectedWords)"
      : String(writing: { fault.write(to: &$0, of: text.utf8.span) })
    self.init("--set \(BoardError.shown(text))", problem)
  }
}
