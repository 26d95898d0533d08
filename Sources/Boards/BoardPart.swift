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

  /// All of them, in the order in which files have them.
  public static var all: InlineArray<4, BoardPart> { [.shake, .clear, .status, .answer] }

  /// Its place among all.
  var index: Int {
    switch self {
    case .shake: 0
    case .clear: 1
    case .status: 2
    case .answer: 3
    }
  }

  /// Its name in a board's file.
  public var name: StaticString {
    switch self {
    case .shake: "shake"
    case .clear: "clear"
    case .status: "status"
    case .answer: "answer"
    }
  }

  /// Whether it is a button, and not a light.
  public var isButton: Bool { self == .shake || self == .clear }

  /// Whether its line has this field: lights do not bounce.
  public func has(_ field: BoardField) -> Bool {
    switch field {
    case .line, .offset, .active, .bias: true
    case .debounce: isButton
    case .models, .chip, .radio: false
    }
  }

  /// Whether a file has to give this field: the bias of a light may be left out.
  public func requires(_ field: BoardField) -> Bool {
    has(field) && (isButton || field != .bias)
  }

  /// A line wired as those of the shipped boards are, a button to ground and a light from the line to
  /// ground, without a name and an offset.
  var usualLine: LineDescription {
    LineDescription(
      name: LineName(), offset: 0, activeLow: isButton, bias: isButton ? .pullUp : .none,
      debounceMilliseconds: isButton ? 20 : 0)
  }

  /// The part of this name; `nil` if there is none.
  init?(_ text: Span<UInt8>) {
    let all = Self.all
    for index in all.indices where text.hasBytes(of: all[index].name) {
      self = all[index]
      return
    }
    return nil
  }
}
