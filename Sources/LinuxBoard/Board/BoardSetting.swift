import Boards

/// Overrides one field of a board's file: `shake.line=GPIO23`.
///
/// The names are those of the fields in a board's file. `answer=none` removes a light or a button.
public struct BoardSetting: Equatable, Sendable {
  /// The setting as given.
  let text: String

  /// Reads a setting.
  ///
  /// - Throws: If it is not NAME=VALUE, or the name or the value is wrong.
  public init(_ text: String) throws(BoardError) {
    self.text = text
    do throws(BoardFault) {
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
  public init(describedBy settings: [BoardSetting]) throws(BoardError) {
    self.init(named: Self.noBoard)
    try apply(settings)
  }

  /// Applies `settings`, as `BoardChanges` does.
  ///
  /// - Throws: Which setting is wrong, and what was expected. Nothing is changed then.
  public mutating func apply(_ settings: [BoardSetting]) throws(BoardError) {
    var changes = BoardChanges(to: self)
    for (index, setting) in settings.enumerated() {
      do throws(BoardFault) {
        try changes.add(setting.text.utf8.span, at: index)
      } catch {
        throw BoardError(error, of: setting.text)
      }
    }
    do throws(BoardChangeError) {
      try changes.complete()
    } catch {
      throw BoardError(error.fault, of: settings[error.index].text)
    }
    self = changes.board
  }
}

extension BoardError {
  /// What is wrong with the setting `text`.
  fileprivate init(_ fault: BoardFault, of text: String) {
    let problem =
      fault == .wrongValue(.radio)
      ? "expected \(BoardField.radio.expectedWords)"
      : String(writing: { fault.write(to: &$0, of: text.utf8.span) })
    self.init("--set \(BoardError.shown(text))", problem)
  }
}
