import EightBall
import LinuxRadio

/// What a board is like: which lines its buttons and lights are on, and which radio it has.
///
/// This is the outcome of a board's file and of what the command line says otherwise.
public struct BoardDescription: Equatable, Sendable {
  /// What it is called: the file's name without `.yml`.
  public var name: String
  /// How the device tree's models begin that are this board, such as "Raspberry Pi 4 Model B".
  public var models: [String]
  /// The label of the GPIO chip that has its lines; `nil` if it has no lines.
  public var chip: String?
  /// The button that asks for a new answer.
  public var shake: LineDescription?
  /// The button that forgets everything.
  public var clear: LineDescription?
  /// The light that tells what the ball is doing.
  public var status: LineDescription?
  /// The light that tells of an answer.
  public var answer: LineDescription?
  /// The radio to use unless the command line names one; `nil` for the first that there is.
  public var radio: RadioName?
  /// Whether its chip is one of software, in this program.
  public var isVirtual: Bool

  /// With these values, which are not checked.
  public init(
    name: String, models: [String] = [], chip: String? = nil, shake: LineDescription? = nil,
    clear: LineDescription? = nil, status: LineDescription? = nil,
    answer: LineDescription? = nil, radio: RadioName? = nil, isVirtual: Bool = false
  ) {
    self.name = name
    self.models = models
    self.chip = chip
    self.shake = shake
    self.clear = clear
    self.status = status
    self.answer = answer
    self.radio = radio
    self.isVirtual = isVirtual
  }

  /// Whether it has any button or light.
  public var hasLines: Bool {
    shake != nil || clear != nil || status != nil || answer != nil
  }

  /// The line of a button; `nil` if the board has none.
  public func line(_ button: ButtonName) -> LineDescription? {
    switch button {
    case .shake: shake
    case .clear: clear
    }
  }

  /// The line of a light; `nil` if the board has none.
  public func line(_ light: LightName) -> LineDescription? {
    switch light {
    case .status: status
    case .answer: answer
    }
  }
}

/// A line of a GPIO chip, and how it is wired.
public struct LineDescription: Equatable, Sendable {
  /// What happens to a line that nothing drives.
  public enum Bias: String, CaseIterable, Sendable {
    /// A resistor of the chip pulls it high.
    case pullUp = "pull-up"
    /// A resistor of the chip pulls it low.
    case pullDown = "pull-down"
    /// Nothing: a resistor on the board does it, or the line is driven.
    case none
  }

  /// What the kernel calls it, such as "GPIO5".
  public var name: String
  /// Its place on the chip, 0 to 1,023, for systems that call it otherwise.
  public var offset: Int
  /// Whether low means pressed or lit.
  public var activeLow: Bool
  /// What happens to it while nothing drives it.
  public var bias: Bias
  /// For how long the contacts of a button may bounce, 0 to 1,000 ms; 0 for a light.
  public var debounceMilliseconds: Int

  /// With these values, which are not checked.
  public init(
    name: String, offset: Int, activeLow: Bool, bias: Bias, debounceMilliseconds: Int
  ) {
    self.name = name
    self.offset = offset
    self.activeLow = activeLow
    self.bias = bias
    self.debounceMilliseconds = debounceMilliseconds
  }
}
