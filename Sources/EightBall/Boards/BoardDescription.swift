import BluetoothHost

/// A board: which GPIO lines its buttons and lights are on, which motion sensor and display it has, and
/// which radio.
///
/// It comes from a board file, from a program's table of boards, or from `--set` alone.
public struct BoardDescription: Equatable, Sendable {
  /// Its name: the file's name without `.conf`.
  public var name: BoardName
  /// The label of the GPIO chip with its lines; `nil` without lines.
  public var chip: ChipLabel?
  /// The lines of the buttons, of the lights and of the motion sensor, in the order of `BoardPart.all`.
  private var lines: InlineArray<5, LineDescription?>
  /// The motion sensor, and the display.
  var onBus = InlineArray<2, BusSettings>(repeating: BusSettings())
  /// The default radio; `nil` for the first usable one. It is the text of the file or of `--set`,
  /// which only the program that opens the radio checks.
  public var radio: RadioText?

  /// A board with these values, which are not checked.
  public init(
    name: BoardName, chip: ChipLabel? = nil, shake: LineDescription? = nil,
    clear: LineDescription? = nil, status: LineDescription? = nil,
    answer: LineDescription? = nil, motion: MotionDescription? = nil,
    display: BusPart? = nil, radio: RadioText? = nil
  ) {
    self.name = name
    self.chip = chip
    lines = [shake, clear, status, answer, nil]
    self.radio = radio
    self.motion = motion
    self.display = display
  }

  /// A board with this name and nothing else. One function, since a board is large and is filled in
  /// place.
  @inline(never)
  public init(named name: StaticString) {
    self.name = BoardName(stringLiteral: name)
    chip = nil
    lines = InlineArray(repeating: nil)
    radio = nil
  }

  /// The label of the program's virtual chip. No real chip has it.
  public static var virtualChip: ChipLabel { "virtual" }

  /// The name with which `--board` requests no board, or one that `--set` describes alone.
  public static var noBoard: StaticString { "none" }

  /// Whether its chip is the virtual one.
  public var isVirtual: Bool { chip == Self.virtualChip }

  /// Whether it has any line.
  public var hasLines: Bool {
    for index in lines.indices where lines[index] != nil { return true }
    return false
  }

  /// Whether it has a line of this part.
  public func hasLine(of part: BoardPart) -> Bool {
    part != .display && lines[part.index] != nil
  }

  /// The line of a part; `nil` if the board has none. A display's cannot be set.
  public subscript(part: BoardPart) -> LineDescription? {
    // Not inlined: each caller would contain a copy of all lines.
    @inline(never) get { part == .display ? nil : lines[part.index] }
    set { if part != .display { lines[part.index] = newValue } }
  }

  /// The motion sensor or the display, without the sensor's line and threshold; `nil` if the board has
  /// none.
  public subscript(onBus part: BoardPart) -> BusPart? {
    part.isOnBus ? BusPart(onBus[part.busIndex]) : nil
  }

  /// The button that asks for a new answer.
  public var shake: LineDescription? {
    get { self[.shake] }
    set { self[.shake] = newValue }
  }

  /// The button that clears the ball.
  public var clear: LineDescription? {
    get { self[.clear] }
    set { self[.clear] = newValue }
  }

  /// The light that shows the state of the ball.
  public var status: LineDescription? {
    get { self[.status] }
    set { self[.status] = newValue }
  }

  /// The light that announces an answer.
  public var answer: LineDescription? {
    get { self[.answer] }
    set { self[.answer] = newValue }
  }

  /// The motion sensor.
  public var motion: MotionDescription? {
    get {
      guard let part = self[onBus: .motion], let line = self[.motion] else { return nil }
      return MotionDescription(part, line: line, threshold: onBus[0].threshold)
    }
    set {
      self[.motion] = newValue?.line
      onBus[0] = BusSettings(newValue?.part)
      if let threshold = newValue?.threshold { onBus[0].threshold = threshold }
    }
  }

  /// The display.
  public var display: BusPart? {
    get { self[onBus: .display] }
    set { onBus[1] = BusSettings(newValue) }
  }

  /// Whether both are equal.
  public static func == (left: BoardDescription, right: BoardDescription) -> Bool {
    for index in left.lines.indices where left.lines[index] != right.lines[index] { return false }
    return left.name == right.name && left.chip == right.chip && left.radio == right.radio
      && left.onBus[0] == right.onBus[0] && left.onBus[1] == right.onBus[1]
  }
}

/// A line of a GPIO chip, and how it is wired.
public struct LineDescription: Equatable, Sendable {
  /// The pull resistor of a line.
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
  /// Its offset on the chip, 0 to 1,023, for systems that use another name.
  public var offset: Int
  /// Whether low means pressed or lit.
  public var activeLow: Bool
  /// The pull resistor.
  public var bias: Bias
  /// How long the contacts of a button may bounce, 0 to 1,000 ms; 0 for a light.
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
