import BluetoothHost

/// A field of a board's file, or of the line of a button or a light: its name, the texts it takes, and
/// the words for what it expects.
///
/// Board files and `--set` read their values by these rules.
public enum BoardField: Equatable, Sendable {
  /// How the device tree's models begin that are this board.
  case models
  /// The label of the GPIO chip.
  case chip
  /// The Bluetooth controller.
  case radio
  /// The name of a line.
  case line
  /// The place of a line on the chip.
  case offset
  /// Whether high or low means pressed or lit.
  case active
  /// The pull resistor of a line.
  case bias
  /// For how long a button may bounce.
  case debounce

  /// Those of a line, in the order in which files have them.
  public static var ofLine: InlineArray<5, BoardField> {
    [.line, .offset, .active, .bias, .debounce]
  }

  /// Its name in a board's file.
  public var name: StaticString {
    switch self {
    case .models: "models"
    case .chip: "chip"
    case .radio: "radio"
    case .line: "line"
    case .offset: "offset"
    case .active: "active"
    case .bias: "bias"
    case .debounce: "debounce"
    }
  }

  /// What it expects, to follow that word. Of `models`, what each of them expects.
  public var expected: StaticString {
    switch self {
    case .models:
      "how a device tree's model begins: 1 to 127 characters of ASCII, without quotes"
    case .chip: "the label of a GPIO chip, such as pinctrl-bcm2711, or virtual"
    case .radio: "a radio, such as hci0"
    case .line: "the name of a line, such as GPIO18: 1 to 31 characters of ASCII, without quotes"
    case .offset: "a whole number from 0 to 1023"
    case .active: "high or low"
    case .bias: "pull-up, pull-down or none"
    case .debounce: "a whole number of milliseconds from 0 to 1000"
    }
  }

  /// The field of this name; `nil` if a line has none.
  init?(ofLine text: Span<UInt8>) {
    let fields = Self.ofLine
    for index in fields.indices where text.hasBytes(of: fields[index].name) {
      self = fields[index]
      return
    }
    return nil
  }

  /// Whether `text` is one of `models`.
  public static func isModel(_ text: Span<UInt8>) -> Bool { text.isPlainName(upTo: 127) }

  /// The text that `chip` or `line` takes; `nil` if it is none.
  public static func readName(_ text: Span<UInt8>) -> BoardText<31>? {
    text.isPlainName(upTo: 31) ? BoardText(text) : nil
  }

  /// The text that `radio` takes, which is any of 1 to 255 bytes; `nil` if it is none.
  public static func readRadio(_ text: Span<UInt8>) -> RadioText? {
    text.isEmpty ? nil : RadioText(text)
  }

  /// The number that `offset` takes, 0 to 1,023; `nil` if the text is none.
  public static func readOffset(_ text: Span<UInt8>) -> Int? { text.number(upTo: 1_023) }

  /// The milliseconds that `debounce` takes, 0 to 1,000; `nil` if the text is none.
  public static func readDebounce(_ text: Span<UInt8>) -> Int? { text.number(upTo: 1_000) }

  /// Whether low means pressed or lit, as `active` says it; `nil` if the text does not.
  public static func readActiveLow(_ text: Span<UInt8>) -> Bool? {
    text.hasBytes(of: "low") ? true : text.hasBytes(of: "high") ? false : nil
  }

  /// The pull resistor that `bias` names; `nil` if the text names none.
  public static func readBias(_ text: Span<UInt8>) -> LineDescription.Bias? {
    if text.hasBytes(of: LineDescription.Bias.pullUp.name) { return .pullUp }
    if text.hasBytes(of: LineDescription.Bias.pullDown.name) { return .pullDown }
    return text.hasBytes(of: LineDescription.Bias.none.name) ? LineDescription.Bias.none : nil
  }
}

extension LineDescription.Bias {
  /// Its name in a board's file.
  public var name: StaticString {
    switch self {
    case .pullUp: "pull-up"
    case .pullDown: "pull-down"
    case .none: "none"
    }
  }
}

extension LineName {
  /// The number in a name as Raspberry Pis give them, 0 to 1,023: 23 for "GPIO23"; `nil` for other
  /// names.
  public var gpioNumber: Int? { span.gpioNumber }

  /// The name that Raspberry Pis give the line of this number.
  init(gpioNumber number: Int) {
    self.init { writer in
      writer.add("GPIO")
      writer.writeDecimal(number)
    }
  }
}

extension Span<UInt8> {
  /// The number in the name of a line, as `LineName.gpioNumber` has it.
  var gpioNumber: Int? {
    let prefix = 4
    guard count > prefix, extracting(first: prefix).hasBytes(of: "GPIO") else { return nil }
    let digits = extracting(droppingFirst: prefix)
    // The kernel writes no leading zeros.
    guard digits.count == 1 || digits[0] != UInt8(ascii: "0") else { return nil }
    return BoardField.readOffset(digits)
  }
}
