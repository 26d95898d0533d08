import EightBall

/// A side of the header.
enum HeaderSide: CaseIterable {
  /// The odd pins.
  case left
  /// The even pins.
  case right

  init(ofPin pin: Int) { self = pin % 2 == 1 ? .left : .right }
}

/// The wires of a board.
struct WiringPlan {
  /// The wire of a button or light, between a line's pin and a rail.
  struct Wire: Equatable {
    let part: BoardPart
    let line: LineDescription
    /// The pin of the line.
    let pin: Int
    /// "GND" or "3V3".
    let rail: String
    /// The pin of the rail.
    var railPin = 0
    /// Whether only this wire uses the rail's pin and it is on the side of the line's pin, so that
    /// the wire can be drawn to it.
    var isLoop = false
    /// The column in which it goes from one row to the other; 0 is nearest to the header.
    var lane = 0

    /// The rows that the wire comes from and goes to, 0 to 19.
    var rows: ClosedRange<Int> {
      let row = (pin - 1) / 2
      guard isLoop else { return row...row }
      let railRow = (railPin - 1) / 2
      return min(row, railRow)...max(row, railRow)
    }
  }

  /// The wires, in the order of the parts.
  private(set) var wires: [Wire] = []
  /// The parts with a line that is not on the header.
  private(set) var elsewhere: [(part: BoardPart, line: LineDescription)] = []
  /// The wires of the motion sensor and the display.
  let bus: BusWiring

  /// Finds the rails' pins that make the shortest wires, and the fewest that cross.
  ///
  /// - Parameter pinCount: The number of pins of the header.
  init(_ board: BoardDescription, pinCount: Int = PinHeader.names.count) {
    var wires: [Wire] = []
    for part in BoardPart.allCases {
      guard let line = board[part] else { continue }
      guard let pin = PinHeader.pin(of: line, ofChip: board.chip) else {
        elsewhere.append((part, line))
        continue
      }
      if part.isOnBus { continue }
      // A pressed button or a lit light connects the line to this rail.
      let isToGround = line.activeLow == part.isButton
      wires.append(Wire(part: part, line: line, pin: pin, rail: isToGround ? "GND" : "3V3"))
    }
    var planned: [Wire] = []
    for side in HeaderSide.allCases {
      let ofSide = wires.filter { HeaderSide(ofPin: $0.pin) == side }
      planned += Self.lanes(Self.best(Self.choices(ofSide[...], [], pinCount)))
    }
    for index in planned.indices where !planned[index].isLoop {
      let taken = planned.filter { $0.railPin != 0 }.map(\.railPin)
      let pins = PinHeader.pins(named: planned[index].rail).filter { $0 <= pinCount }
      let pin = planned[index].pin
      // The nearest free pin, or else the nearest one.
      planned[index].railPin =
        pins.min {
          (taken.contains($0) ? 100 : 0) + abs($0 - pin)
            < (taken.contains($1) ? 100 : 0) + abs($1 - pin)
        } ?? 0
    }
    wires = BoardPart.allCases.compactMap { part in planned.first { $0.part == part } }
    self.wires = wires
    bus = BusWiring(board, besides: wires.flatMap { [$0.pin, $0.railPin] }, pinCount: pinCount)
  }

  /// Every way to give each of `wires` a pin of its rail on its side, or no pin.
  private static func choices(
    _ wires: ArraySlice<Wire>, _ taken: [Int], _ pinCount: Int
  ) -> [[Wire]] {
    guard let first = wires.first else { return [[]] }
    var choices: [[Wire]] = []
    let pins = PinHeader.pins(named: first.rail).filter {
      HeaderSide(ofPin: $0) == HeaderSide(ofPin: first.pin) && !taken.contains($0) && $0 <= pinCount
    }
    for pin in pins {
      var wire = first
      wire.railPin = pin
      wire.isLoop = true
      for rest in Self.choices(wires.dropFirst(), taken + [pin], pinCount) {
        choices.append([wire] + rest)
      }
    }
    for rest in Self.choices(wires.dropFirst(), taken, pinCount) { choices.append([first] + rest) }
    return choices
  }

  private static func best(_ choices: [[Wire]]) -> [Wire] {
    var best: (wires: [Wire], cost: Int)?
    for choice in choices {
      let length = choice.reduce(0) { $0 + $1.rows.count }
      let loose = choice.filter { !$0.isLoop }.count
      let cost = loose * 10_000 + crossings(lanes(choice)) * 100 + length
      if cost < best?.cost ?? .max { best = (choice, cost) }
    }
    return best?.wires ?? []
  }

  /// Puts shorter wires nearer to the header, so that nested wires do not cross.
  private static func lanes(_ wires: [Wire]) -> [Wire] {
    var placed = wires.filter { !$0.isLoop }
    for var wire in wires.sorted(by: { $0.rows.count < $1.rows.count }) where wire.isLoop {
      let beside = placed.filter { $0.isLoop && $0.rows.overlaps(wire.rows) }
      wire.lane = beside.map { $0.lane + 1 }.max() ?? 0
      placed.append(wire)
    }
    return placed
  }

  private static func crossings(_ wires: [Wire]) -> Int {
    var count = 0
    for inner in wires where inner.isLoop {
      for outer in wires where outer != inner && (!outer.isLoop || outer.lane > inner.lane) {
        if inner.rows.contains(outer.rows.lowerBound) { count += 1 }
        if inner.rows.contains(outer.rows.upperBound) { count += 1 }
      }
    }
    return count
  }
}

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
