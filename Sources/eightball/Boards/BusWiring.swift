import EightBall

/// The wires of a motion sensor and a display: the bus i2c-1 and its supply, which both share, and the sensor's
/// interrupt.
struct BusWiring {
  /// A wire from a pin to one part or both.
  struct Wire: Equatable {
    /// What the parts call it, such as "SDA".
    let signal: String
    /// Whether it is a supply.
    var isSupply: Bool { signal == "VCC" || signal == "GND" }
    let pin: Int
    let parts: [BoardPart]
  }

  /// The wires, in the order of their pins.
  private(set) var wires: [Wire] = []
  /// The parts on the board's buses, and where they are.
  let parts: [(part: BoardPart, place: BusPart)]

  /// The pins of i2c-1 on each Raspberry Pi but the very first ones.
  private static let signals = [(name: "SDA", line: "GPIO2"), (name: "SCL", line: "GPIO3")]

  /// The lines that i2c-1 uses.
  static var lines: [String] { signals.map(\.line) }

  /// Whether a part is on the bus of the header.
  static func isOnHeader(_ place: BusPart, ofChip chip: ChipLabel?) -> Bool {
    place.bus == 1 && (chip.map { PinHeader.lineCount(ofChip: $0) != nil } ?? true)
  }

  /// Wires from pins that are free, if possible.
  ///
  /// - Parameters:
  ///   - taken: The pins of the buttons and lights.
  ///   - pinCount: The number of pins of the header.
  init(_ board: BoardDescription, besides taken: [Int], pinCount: Int) {
    parts = BoardPart.allCases.compactMap { part in board[onBus: part].map { (part, $0) } }
    let onHeader = parts.filter { Self.isOnHeader($0.place, ofChip: board.chip) }.map(\.part)
    if !onHeader.isEmpty {
      for (name, rail) in [("VCC", "3V3"), ("GND", "GND")] {
        let pin = Self.railPin(rail, besides: taken, pinCount: pinCount)
        wires.append(Wire(signal: name, pin: pin, parts: onHeader))
      }
      for (name, line) in Self.signals {
        for pin in PinHeader.pins(named: line) {
          wires.append(Wire(signal: name, pin: pin, parts: onHeader))
        }
      }
    }
    if let line = board[.motion], let pin = PinHeader.pin(of: line, ofChip: board.chip) {
      let isFirst = board[onBus: .motion]?.model == .lis3dh
      wires.append(Wire(signal: isFirst ? "INT1" : "INT", pin: pin, parts: [.motion]))
    }
    wires.sort { $0.pin < $1.pin }
  }

  /// The pin of a rail that is nearest to the bus: a free one, and one on the bus's side if there is a choice.
  private static func railPin(_ rail: String, besides taken: [Int], pinCount: Int) -> Int {
    let bus = PinHeader.pins(named: signals[0].line).first ?? 0
    func cost(_ pin: Int) -> Int {
      (taken.contains(pin) ? 1_000 : 0)
        + (HeaderSide(ofPin: pin) == HeaderSide(ofPin: bus) ? 0 : 100)
        + abs(pin - bus)
    }
    return PinHeader.pins(named: rail).filter { $0 <= pinCount }.min { cost($0) < cost($1) } ?? 0
  }

  /// The wire to draw at a pin; `nil` if there is none.
  func wire(at pin: Int) -> Wire? { wires.first { $0.pin == pin } }

  /// The steps to connect the parts.
  var steps: [(part: BoardPart, text: String)] {
    parts.flatMap { part, place -> [(part: BoardPart, text: String)] in
      let own = wires.filter { $0.parts.contains(part) }
      func list(_ wires: [Wire]) -> String {
        wires.map { "\($0.signal) → pin \($0.pin) (\(PinHeader.name(ofPin: $0.pin)))" }
          .joined(separator: ", ")
      }
      let supply = own.filter(\.isSupply)
      let signals = own.filter { !$0.isSupply }
      let name = "\(WiringText.label(part))\(place.model.name) at \(place.addressText)"
      let first =
        supply.isEmpty
        ? "\(name) on \(place.busName): not on this header" : "\(name): \(list(supply))"
      let second = signals.isEmpty ? [] : [(part, "        and \(list(signals))")]
      return [(part, first)] + second
    }
  }
}
