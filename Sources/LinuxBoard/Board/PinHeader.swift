import Boards

/// The 40-pin header that every Raspberry Pi since the Zero and the B+ has. The first Model A and Model B have
/// its first 26 pins.
///
/// Odd pins are towards the middle of the board, even pins along its edge.
enum PinHeader {
  /// The labels of the pins, pin 1 first.
  static let names = [
    "3V3", "5V", "GPIO2", "5V", "GPIO3", "GND", "GPIO4", "GPIO14", "GND", "GPIO15",
    "GPIO17", "GPIO18", "GPIO27", "GND", "GPIO22", "GPIO23", "3V3", "GPIO24", "GPIO10", "GND",
    "GPIO9", "GPIO25", "GPIO11", "GPIO8", "GND", "GPIO7", "ID_SD", "ID_SC", "GPIO5", "GND",
    "GPIO6", "GPIO12", "GPIO13", "GND", "GPIO19", "GPIO16", "GPIO26", "GPIO20", "GND", "GPIO21",
  ]

  /// The chips on which a line's offset is its GPIO number, and how many lines each has.
  private static let chips = [
    "pinctrl-bcm2835": 54, "pinctrl-bcm2711": 58, "pinctrl-rp1": 54,
    BoardDescription.virtualChip.description: 58,
  ]

  /// The models with 26 pins.
  private static let shortModels = ["Raspberry Pi Model A", "Raspberry Pi Model B"]

  /// The number of pins of a board with these models.
  static func pinCount(ofModels models: [String]) -> Int {
    models.contains { shortModels.contains($0) } ? 26 : names.count
  }

  /// Where pin 1 is on a board with these models. On a keyboard computer and on a carrier board it
  /// is elsewhere than on the others.
  static func place(ofModels models: [String]) -> String {
    let isElsewhere = ["Raspberry Pi 400", "Raspberry Pi 500", "Raspberry Pi Compute Module"]
      .contains { kind in models.contains { $0.hasPrefix(kind) } }
    if isElsewhere { return "The documentation of the board shows where pin 1 (□) is." }
    let card = pinCount(ofModels: models) == 26 ? "SD" : "microSD"
    return "Pin 1 (□) is at the corner by the \(card) card, even pins along the edge."
  }

  /// How many lines a chip has; `nil` if it is unknown.
  static func lineCount(ofChip chip: ChipLabel) -> Int? { chips[chip.description] }

  /// The label of a pin, 1 to 40.
  static func name(ofPin pin: Int) -> String {
    names.indices.contains(pin - 1) ? names[pin - 1] : ""
  }

  /// The pins with this label.
  static func pins(named name: String) -> [Int] {
    (1...names.count).filter { self.name(ofPin: $0) == name }
  }

  /// The pin of a line; `nil` if it is not on the header.
  static func pin(of line: LineDescription, ofChip chip: ChipLabel?) -> Int? {
    let name = line.name.description
    if let pin = pins(named: name).first, name.hasPrefix("GPIO") { return pin }
    guard let chip, lineCount(ofChip: chip) != nil else { return nil }
    switch line.name.gpioNumber ?? line.offset {
    case 0: return 27
    case 1: return 28
    case let number: return pins(named: "GPIO\(number)").first
    }
  }
}
