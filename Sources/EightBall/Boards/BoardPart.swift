import BluetoothHost

/// A button or a light of a board.
public enum BoardPart: Equatable, Sendable {
  /// The button that asks for a new answer.
  case shake
  /// The button that clears the ball.
  case clear
  /// The light that shows the state of the ball.
  case status
  /// The light that announces an answer.
  case answer

  /// All parts, in the order of the files.
  public static var all: InlineArray<4, BoardPart> { [.shake, .clear, .status, .answer] }

  /// Its index in `all`.
  var index: Int {
    switch self {
    case .shake: 0
    case .clear: 1
    case .status: 2
    case .answer: 3
    }
  }

  /// Its name in a board file.
  public var name: StaticString {
    switch self {
    case .shake: "shake"
    case .clear: "clear"
    case .status: "status"
    case .answer: "answer"
    }
  }

  /// Whether it is a button.
  public var isButton: Bool { self == .shake || self == .clear }

  /// Whether its line has this field: lights do not bounce.
  public func has(_ field: BoardField) -> Bool {
    switch field {
    case .line, .offset, .active, .bias: true
    case .debounce: isButton
    case .model, .chip, .radio: false
    }
  }

  /// A line wired as on the shipped boards, a button to ground and a light from the line to ground,
  /// without a name and an offset.
  public var usualLine: LineDescription {
    LineDescription(
      name: LineName(), offset: 0, activeLow: isButton, bias: isButton ? .pullUp : .none,
      debounceMilliseconds: isButton ? 20 : 0)
  }

  /// The part with this name; `nil` if there is none.
  init?(_ text: Span<UInt8>) {
    let all = Self.all
    for index in all.indices where text.equals(all[index].name) {
      self = all[index]
      return
    }
    return nil
  }
}
