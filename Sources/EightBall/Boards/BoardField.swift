import BluetoothHost

/// A field of a board file, or of a part of a board: its name, its valid texts, and the text of what
/// it expects.
///
/// Board files and `--set` read their values by these rules.
public enum BoardField: Equatable, Sendable {
  /// A prefix of the device tree models that are this board.
  case model
  /// The label of the GPIO chip.
  case chip
  /// The Bluetooth controller.
  case radio
  /// The name of a line.
  case line
  /// The offset of a line on the chip.
  case offset
  /// Whether high or low means pressed or lit.
  case active
  /// The pull resistor of a line.
  case bias
  /// How long a button may bounce.
  case debounce
  /// The model of a motion sensor.
  case motionPart
  /// The model of a display.
  case displayPart
  /// The I2C bus of a motion sensor or a display.
  case bus
  /// The address on the bus.
  case address
  /// From which acceleration on a motion sensor reports motion.
  case threshold

  /// The fields of parts, in the order of the files.
  private static var ofParts: InlineArray<10, BoardField> {
    [
      .motionPart, .displayPart, .bus, .address, .line, .offset, .active, .bias, .debounce,
      .threshold,
    ]
  }

  /// Its name in a board file.
  public var name: StaticString {
    switch self {
    case .model: "model"
    case .chip: "chip"
    case .radio: "radio"
    case .line: "line"
    case .offset: "offset"
    case .active: "active"
    case .bias: "bias"
    case .debounce: "debounce"
    case .motionPart, .displayPart: "part"
    case .bus: "bus"
    case .address: "address"
    case .threshold: "threshold"
    }
  }

  /// The expected value, to follow "expected".
  public var expected: StaticString {
    switch self {
    case .model:
      "how a device tree's model begins: 1 to 127 characters of ASCII, without quotes"
    case .chip: "the label of a GPIO chip, such as pinctrl-bcm2711, or virtual"
    case .radio: "a radio, such as hci0"
    case .line: "the name of a line, such as GPIO18: 1 to 31 characters of ASCII, without quotes"
    case .offset: "a whole number from 0 to 1023"
    case .active: "high or low"
    case .bias: "pull-up, pull-down or none"
    case .debounce: "a whole number of milliseconds from 0 to 1000"
    case .motionPart: "lis3dh or mpu6050"
    case .displayPart: "ssd1306 or hd44780"
    case .bus: "i2c- and a number from 0 to 255"
    case .address: "a number from 0x03 to 0x77"
    case .threshold: "a whole number of milligravities from 100 to 8000"
    }
  }

  /// The field of this part with this name; `nil` if there is none.
  init?(_ text: Span<UInt8>, of part: BoardPart) {
    let fields = Self.ofParts
    for index in fields.indices where part.has(fields[index]) {
      if text.equals(fields[index].name) {
        self = fields[index]
        return
      }
    }
    return nil
  }

  /// Whether `text` is a value of `model`.
  public static func isModel(_ text: Span<UInt8>) -> Bool { text.isPlainName(upTo: 127) }

  /// The value of `chip` or `line`; `nil` if the text is not valid.
  public static func readName(_ text: Span<UInt8>) -> BoardText<31>? {
    text.isPlainName(upTo: 31) ? BoardText(text) : nil
  }

  /// The value of `radio`, any text of 1 to 255 bytes; `nil` for another length.
  public static func readRadio(_ text: Span<UInt8>) -> RadioText? {
    text.isEmpty ? nil : RadioText(text)
  }

  /// The value of `offset`, 0 to 1,023; `nil` if the text is not valid.
  public static func readOffset(_ text: Span<UInt8>) -> Int? {
    text.unsignedNumber(upTo: 1_023).map { Int(truncatingIfNeeded: $0) }
  }

  /// The value of `debounce`, 0 to 1,000 ms; `nil` if the text is not valid.
  public static func readDebounce(_ text: Span<UInt8>) -> Int? {
    text.unsignedNumber(upTo: 1_000).map { Int(truncatingIfNeeded: $0) }
  }

  /// The value of `active`: whether low means pressed or lit; `nil` if the text is not valid.
  public static func readActiveLow(_ text: Span<UInt8>) -> Bool? {
    text.equals("low") ? true : text.equals("high") ? false : nil
  }

  /// The value of `bias`; `nil` if the text is not valid.
  public static func readBias(_ text: Span<UInt8>) -> LineDescription.Bias? {
    if text.equals(LineDescription.Bias.pullUp.name) { return .pullUp }
    if text.equals(LineDescription.Bias.pullDown.name) { return .pullDown }
    return text.equals(LineDescription.Bias.none.name) ? LineDescription.Bias.none : nil
  }

  /// The number of the bus in `bus`, 0 to 255; `nil` if the text is not valid.
  public static func readBus(_ text: Span<UInt8>) -> UInt8? {
    guard text.begins(with: "i2c-") else { return nil }
    return text.extracting(droppingFirst: 4).unsignedNumber(upTo: 255).map {
      UInt8(truncatingIfNeeded: $0)
    }
  }

  /// The value of `address`, 0x03 to 0x77, in hexadecimal after "0x" or else in decimal; `nil` if
  /// the text is not valid. The other addresses are reserved: UM10204, rev. 7, 3.1.12.
  public static func readAddress(_ text: Span<UInt8>) -> UInt8? {
    let isHexadecimal = text.begins(with: "0x")
    let digits = text.extracting(droppingFirst: isHexadecimal ? 2 : 0)
    let base: UInt32 = isHexadecimal ? 16 : 10
    var number: UInt32 = 0
    for index in digits.indices {
      guard let digit = digits[index].hexadecimalValue, digit < base else { return nil }
      number = number &* base &+ UInt32(digit)
      guard number <= 0x77 else { return nil }
    }
    return number < 3 ? nil : UInt8(truncatingIfNeeded: number)
  }

  /// The value of `threshold`, 100 to 8,000 mg; `nil` if the text is not valid.
  public static func readThreshold(_ text: Span<UInt8>) -> UInt16? {
    guard let number = text.unsignedNumber(upTo: 8_000), number >= 100 else { return nil }
    return UInt16(truncatingIfNeeded: number)
  }
}

extension LineDescription.Bias {
  /// Its name in a board file.
  public var name: StaticString {
    switch self {
    case .pullUp: "pull-up"
    case .pullDown: "pull-down"
    case .none: "none"
    }
  }
}

extension LineName {
  /// The number in a Raspberry Pi's line name, 0 to 1,023: 23 for "GPIO23"; `nil` for other names.
  public var gpioNumber: Int? { span.gpioNumber }

  /// The Raspberry Pi's name of the line with this number.
  init(gpioNumber number: Int) {
    self.init { writer in
      writer.add("GPIO")
      writer.write(decimal: number)
    }
  }
}

extension Span<UInt8> {
  /// The number in a line's name, as for `LineName.gpioNumber`.
  var gpioNumber: Int? {
    let prefix = 4
    guard count > prefix, extracting(first: prefix).equals("GPIO") else { return nil }
    let digits = extracting(droppingFirst: prefix)
    // The kernel writes no leading zeros.
    guard digits.count == 1 || digits[0] != UInt8(ascii: "0") else { return nil }
    return BoardField.readOffset(digits)
  }
}
