import BluetoothHost

/// The lines of a description of boards: of a file, or of a program's table.
///
///     # Raspberry Pi 4 Model B
///     [pi-4b]
///     model = Raspberry Pi 4 Model B
///     shake.line = GPIO18    # pin 12
///
/// A `#` at the start of a line, or after a blank, begins a comment. Lines without other text are skipped.
package struct BoardLines: ~Escapable {
  /// What a line states.
  package enum Kind {
    /// The name of a board, in brackets.
    case board
    /// A model of the board.
    case model
    /// A setting, as for `--set`.
    case setting
  }

  /// The number of the line, from 1.
  package private(set) var number = 0
  /// The name of a board, or else the whole line without its comment.
  package private(set) var value: Span<UInt8>
  private var rest: Span<UInt8>

  /// The lines of `text`. An editor may have put a byte order mark before the first one.
  @inline(never)
  @_lifetime(copy text)
  package init(_ text: Span<UInt8>) {
    value = text.extracting(first: 0)
    rest = text.begins(with: "\u{FEFF}") ? text.extracting(droppingFirst: 3) : text
  }

  /// Goes to the next line with text.
  ///
  /// - Returns: What it states; `nil` at the end.
  @inline(never)  // Four functions call it.
  @_lifetime(self: copy self)
  package mutating func next() -> Kind? {
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.count
      value = rest.extracting(first: end).withoutComment.trimmed
      rest = rest.extracting(droppingFirst: min(end + 1, rest.count))
      number &+= 1
      guard !value.isEmpty else { continue }
      guard value[0] == UInt8(ascii: "[") else {
        return value.settingName.equals(BoardField.model.name) ? .model : .setting
      }
      value = value.extracting(1..<max(value.count - 1, 1))
      return .board
    }
    return nil
  }
}

extension Span<UInt8> {
  /// What is before the "=" of a setting, without blanks around it; all of a text without "=".
  package var settingName: Span<UInt8> {
    @_lifetime(copy self)
    get { extracting(first: firstIndex(of: UInt8(ascii: "=")) ?? count).trimmed }
  }

  /// What is after the "=" of a setting, without blanks around it; empty in a text without "=".
  package var settingValue: Span<UInt8> {
    @inline(never)
    @_lifetime(copy self)
    get { extracting(droppingFirst: (firstIndex(of: UInt8(ascii: "=")) ?? count - 1) + 1).trimmed }
  }

  /// The text without blanks, and without the carriage returns of Windows, at both ends.
  var trimmed: Span<UInt8> {
    @inline(never)
    @_lifetime(copy self)
    get {
      var start = 0
      var end = count
      while start < end, self[start].isBlank { start += 1 }
      while start < end, self[end - 1].isBlank { end -= 1 }
      return extracting(start..<end)
    }
  }

  /// The text up to a comment.
  fileprivate var withoutComment: Span<UInt8> {
    @_lifetime(copy self)
    get {
      for index in indices where self[index] == UInt8(ascii: "#") {
        if index == 0 || self[index - 1].isBlank { return extracting(first: index) }
      }
      return self
    }
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
  }
}
