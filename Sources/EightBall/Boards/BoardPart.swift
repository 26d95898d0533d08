import BluetoothHost

/// A part of a board: a button, a light, the motion sensor or the display.
public enum BoardPart: Equatable, Sendable {
  /// The button that asks for a new answer.
  case shake
  /// The button that clears the ball.
  case clear
  /// The light that shows the state of the ball.
  case status
  /// The light that announces an answer.
  case answer
  /// The motion sensor, on an I2C bus. Its line is its interrupt.
  case motion
  /// The display, on an I2C bus. It has no line.
  case display

  /// The part that a button is.
  public init(_ button: ButtonName) { self = button == .shake ? .shake : .clear }

  /// The part that a light is.
  public init(_ light: LightName) { self = light == .status ? .status : .answer }

  /// All parts, in the order of the files.
  public static var all: InlineArray<6, BoardPart> {
    [.shake, .clear, .status, .answer, .motion, .display]
  }

  /// Its index in `all`.
  var index: Int {
    switch self {
    case .shake: 0
    case .clear: 1
    case .status: 2
    case .answer: 3
    case .motion: 4
    case .display: 5
    }
  }

  /// Its index among the parts on buses.
  var busIndex: Int { self == .motion ? 0 : 1 }

  /// Its name in a board file.
  public var name: StaticString {
    switch self {
    case .shake: "shake"
    case .clear: "clear"
    case .status: "status"
    case .answer: "answer"
    case .motion: "motion"
    case .display: "display"
    }
  }

  /// Whether it is a button.
  public var isButton: Bool { self == .shake || self == .clear }

  /// Whether it is a light.
  public var isLight: Bool { self == .status || self == .answer }

  /// Whether it is on an I2C bus.
  public var isOnBus: Bool { self == .motion || self == .display }

  /// Whether it has this field: only buttons bounce.
  public func has(_ field: BoardField) -> Bool {
    switch field {
    case .line, .offset, .active, .bias: self != .display
    case .debounce: isButton
    case .bus, .address: isOnBus
    case .motionPart, .threshold: self == .motion
    case .displayPart: self == .display
    case .model, .chip, .radio: false
    }
  }

  /// A line wired as on the shipped boards, a button to ground and a light from the line to ground,
  /// or as an interrupt that is active high, without a name and an offset.
  public var usualLine: LineDescription {
    LineDescription(
      name: LineName(), offset: 0, activeLow: isButton,
      bias: isButton ? .pullUp : isLight ? .none : .pullDown,
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
