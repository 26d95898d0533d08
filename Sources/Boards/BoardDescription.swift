import BluetoothHost

/// A board: which GPIO lines its buttons and lights are on, and which radio it has.
///
/// It comes from a board's file, from a program's table of boards, or from `--set` alone.
public struct BoardDescription: Equatable, Sendable {
  /// What it is called: the file's name without `.yml`.
  public var name: BoardName
  /// The label of the GPIO chip that has its lines; `nil` if it has no lines.
  public var chip: ChipLabel?
  /// The button that asks for a new answer.
  public var shake: LineDescription?
  /// The button that clears the ball.
  public var clear: LineDescription?
  /// The light that shows the state of the ball.
  public var status: LineDescription?
  /// The light that announces an answer.
  public var answer: LineDescription?
  /// The radio to use unless the command line names one; `nil` for the first usable one. This is the
  /// text that the file or `--set` gave. Whether it names a radio, the program checks that opens it.
  public var radio: RadioText?

  /// A board with these values, which are not checked.
  public init(
    name: BoardName, chip: ChipLabel? = nil, shake: LineDescription? = nil,
    clear: LineDescription? = nil, status: LineDescription? = nil,
    answer: LineDescription? = nil, radio: RadioText? = nil
  ) {
    self.name = name
    self.chip = chip
    self.shake = shake
    self.clear = clear
    self.status = status
    self.answer = answer
    self.radio = radio
  }

  /// The label that stands for the virtual chip inside the program, and for no other.
  public static var virtualChip: ChipLabel { "virtual" }

  /// The name by which `--board` asks for no board, or for one that `--set` describes from nothing.
  public static var noBoard: StaticString { "none" }

  /// Whether its chip is the virtual one.
  public var isVirtual: Bool { chip == Self.virtualChip }

  /// Whether it has any button or light.
  public var hasLines: Bool {
    shake != nil || clear != nil || status != nil || answer != nil
  }

  /// The line of a button or a light; `nil` if the board has none.
  public subscript(part: BoardPart) -> LineDescription? {
    get {
      switch part {
      case .shake: shake
      case .clear: clear
      case .status: status
      case .answer: answer
      }
    }
    set {
      switch part {
      case .shake: shake = newValue
      case .clear: clear = newValue
      case .status: status = newValue
      case .answer: answer = newValue
      }
    }
  }
}

/// A line of a GPIO chip, and how it is wired.
public struct LineDescription: Equatable, Sendable {
  /// The pull resistor of the chip.
  public enum Bias: Sendable {
    /// It pulls the line high.
    case pullUp
    /// It pulls the line low.
    case pullDown
    /// It is off: the board has a resistor, or the line is driven.
    case none
  }

  /// The kernel's name for it, such as "GPIO5".
  public var name: LineName
  /// Its place on the chip, 0 to 1,023, for systems that give it another name.
  public var offset: Int
  /// Whether low means pressed or lit.
  public var activeLow: Bool
  /// The pull resistor.
  public var bias: Bias
  /// For how long the contacts of a button may bounce, 0 to 1,000 ms; 0 for a light.
  public var debounceMilliseconds: Int

  /// A line with these values, which are not checked.
  public init(
    name: LineName, offset: Int, activeLow: Bool, bias: Bias, debounceMilliseconds: Int
  ) {
    self.name = name
    self.offset = offset
    self.activeLow = activeLow
    self.bias = bias
    self.debounceMilliseconds = debounceMilliseconds
  }
}
