import Boards

/// The words and symbols of a wiring.
enum WiringText {
  /// A button or a light in 13 characters. The end at the line's pin is towards the header.
  static func component(_ wire: WiringPlan.Wire, _ side: HeaderSide) -> String {
    if wire.part.isButton { return "────○ ╱ ○────" }
    // The arrow of a diode points in the direction of the current: to ground, or from 3V3.
    return switch (side, wire.rail) {
    case (.right, "GND"): "─[330 Ω]──▶│─"
    case (.right, _): "─[330 Ω]──│◀─"
    case (.left, "GND"): "─│◀──[330 Ω]─"
    case (.left, _): "─▶│──[330 Ω]─"
    }
  }

  /// The label at the far end of a wire: the part, and the rail's pin if that is not drawn.
  static func end(_ wire: WiringPlan.Wire) -> String {
    let name = wire.part.description
    return wire.isLoop ? name : "\(name), to pin \(wire.railPin) (\(wire.rail))"
  }

  /// The name of a part, in a column.
  static func label(_ part: BoardPart) -> String {
    "\(part)" + String(repeating: " ", count: max(1, 8 - part.description.count))
  }

  /// The steps to wire it.
  static func steps(for wire: WiringPlan.Wire) -> [String] {
    let line = "pin \(wire.pin) (\(PinHeader.name(ofPin: wire.pin)))"
    let rail = "pin \(wire.railPin) (\(wire.rail))"
    let isToGround = wire.rail == "GND"
    guard wire.part.isButton else {
      let legs = isToGround ? ("long", "short") : ("short", "long")
      return [
        "\(label(wire.part))\(line) → 330 Ω → \(legs.0) leg of the LED; \(legs.1) leg → \(rail)"
      ]
    }
    var steps = ["\(label(wire.part))push button between \(line) and \(rail)"]
    let bias: LineDescription.Bias = isToGround ? .pullUp : .pullDown
    if wire.line.bias != bias {
      steps.append("        and 10 kΩ from \(line) to \(isToGround ? "3V3" : "GND")")
    }
    return steps
  }
}
