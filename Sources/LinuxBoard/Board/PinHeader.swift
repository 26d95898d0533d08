import Boards

/// The 40-pin header that every Raspberry Pi since the Zero and the B+ has.
///
/// Pin 1 is at the corner by the microSD card. Odd pins are towards the middle of the board, even
/// pins along its edge.
enum PinHeader {
  /// The labels of the pins, pin 1 first.
  static let names = [
    "3V3", "5V", "GPIO2", "5V", "GPIO3", "GND", "GPIO4", "GPIO14", "GND", "GPIO15",
    "GPIO17", "GPIO18", "GPIO27", "GND", "GPIO22", "GPIO23", "3V3", "GPIO24", "GPIO10", "GND",
    "GPIO9", "GPIO25", "GPIO11", "GPIO8", "GND", "GPIO7", "ID_SD", "ID_SC", "GPIO5", "GND",
    "GPIO6", "GPIO12", "GPIO13", "GND", "GPIO19", "GPIO16", "GPIO26", "GPIO20", "GND", "GPIO21",
  ]

  /// The chips on which a line's offset is its GPIO number.
  private static let chips = [
    "pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1", BoardDescription.virtualChip.description,
  ]

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
    guard let chip, chips.contains(chip.description) else { return nil }
    switch line.name.gpioNumber ?? line.offset {
    case 0: return 27
    case 1: return 28
    case let number: return pins(named: "GPIO\(number)").first
    }
  }
}
