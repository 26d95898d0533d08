import EightBall

/// The header with a board's buttons, lights, motion sensor and display, drawn in characters.
struct WiringDrawing {
  private let board: BoardDescription
  private let models: [String]
  private let plan: WiringPlan
  private let isColored: Bool
  private let margins: [HeaderSide: Int]

  /// The width of a button or a light, in characters.
  private static let componentWidth = 13

  /// - Parameters:
  ///   - models: The models of the board.
  ///   - isColored: Whether to paint the wires with escape sequences of terminals.
  init(_ board: BoardDescription, models: [String] = [], isColored: Bool) {
    self.board = board
    self.models = models
    self.isColored = isColored
    let plan = WiringPlan(board, pinCount: PinHeader.pinCount(ofModels: models))
    self.plan = plan
    var margins: [HeaderSide: Int] = [:]
    for (pin, lane) in plan.wires.map({ ($0.pin, $0.lane) }) + plan.bus.wires.map({ ($0.pin, 0) }) {
      let side = HeaderSide(ofPin: pin)
      margins[side] = max(margins[side] ?? 0, 2 * lane + 2)
    }
    self.margins = margins
  }

  /// Checks that a known chip has the lines of the board, and that its bus does not use one of them.
  ///
  /// - Throws: The first line that the chip lacks, or that the bus uses.
  static func check(_ board: BoardDescription) throws(BoardError) {
    try checkBus(of: board)
    guard let chip = board.chip, let count = PinHeader.lineCount(ofChip: chip) else { return }
    for part in BoardPart.allCases {
      guard let line = board[part], line.name.gpioNumber ?? line.offset >= count else { continue }
      throw BoardError(
        "\(board.name)", field: "\(part).line",
        "\(chip) has the lines GPIO0 to GPIO\(count - 1), and no \(line.name)")
    }
  }

  private static func checkBus(of board: BoardDescription) throws(BoardError) {
    let parts = BoardPart.allCases.filter {
      board[onBus: $0].map { BusWiring.isOnHeader($0, ofChip: board.chip) } ?? false
    }
    guard let first = parts.first else { return }
    for part in BoardPart.allCases {
      guard let line = board[part]?.name.description, BusWiring.lines.contains(line) else {
        continue
      }
      throw BoardError(
        "\(board.name)", field: "\(part).line", "\(first) needs \(line), which is of the bus i2c-1")
    }
  }

  /// The whole drawing, one line each, without trailing spaces.
  var lines: [String] {
    var lines = [title, ""]
    if !plan.wires.isEmpty || !plan.bus.wires.isEmpty {
      let indent = String(repeating: " ", count: leftWidth + 10)
      lines.append("\(indent)┌─────┐")
      for row in 0..<PinHeader.pinCount(ofModels: models) / 2 { lines.append(line(ofRow: row)) }
      lines += ["\(indent)└─────┘", ""]
      if !board.isVirtual {
        lines.append(PinHeader.place(ofModels: models))
        lines.append("")
      }
    }
    for wire in plan.wires { lines += WiringText.steps(for: wire).map { paint($0, wire.part) } }
    lines += plan.bus.steps.map { paint($0.text, $0.part) }
    for (part, line) in plan.elsewhere {
      lines.append(
        "\(WiringText.label(part))line \(line.name), offset \(line.offset) of "
          + "\(board.chip?.description ?? ""): not on this header")
    }
    if plan.wires.isEmpty && plan.elsewhere.isEmpty && plan.bus.parts.isEmpty {
      lines.append("The board has no buttons or lights.")
    }
    return lines
  }

  private var title: String {
    let chip = board.chip.map { ", chip \($0)" } ?? ""
    let models = self.models.isEmpty ? "" : " (\(alternatives(self.models, "and")))"
    return "Board \(board.name)\(models)\(chip)"
  }

  // MARK: Rows

  /// The width to the left of the pins' labels.
  private var leftWidth: Int {
    margins[.left].map { labelWidth + 1 + $0 + Self.componentWidth + 1 } ?? 0
  }

  /// The width of the wires' labels on the left.
  private var labelWidth: Int {
    let ends =
      plan.wires.map { ($0.pin, WiringText.end($0)) }
      + plan.bus.wires.map { ($0.pin, WiringText.end($0, .left)) }
    return ends.filter { HeaderSide(ofPin: $0.0) == .left }.map(\.1.count).max() ?? 0
  }

  private func line(ofRow row: Int) -> String {
    let odd = 2 * row + 1
    return strip(row, .left) + name(ofPin: odd) + " " + padded("\(odd)", 2, isRight: true)
      + " │ \(mark(odd)) \(mark(odd + 1)) │ " + padded("\(odd + 1)", 2, isRight: false) + " "
      + name(ofPin: odd + 1) + strip(row, .right)
  }

  /// The label of a pin in 6 characters; a wire of the pin reaches up to the label.
  private func name(ofPin pin: Int) -> String {
    let name = PinHeader.name(ofPin: pin)
    let part =
      plan.wires.first { $0.pin == pin || $0.isLoop && $0.railPin == pin }?.part
      ?? plan.bus.wire(at: pin)?.parts.first
    let width = 6 - name.count
    switch HeaderSide(ofPin: pin) {
    case .left:
      guard let part, width > 0 else { return String(repeating: " ", count: width) + name }
      return paint(String(repeating: "─", count: width - 1), part) + " " + name
    case .right:
      guard let part, width > 0 else {
        let isLast = strip((pin - 1) / 2, .right).isEmpty
        return isLast ? name : name + String(repeating: " ", count: width)
      }
      return name + " " + paint(String(repeating: "─", count: width - 1), part)
    }
  }

  /// The symbol of a pin: filled if it has a wire, square if it is pin 1.
  private func mark(_ pin: Int) -> String {
    let part =
      plan.wires.first { $0.pin == pin || $0.railPin == pin }?.part
      ?? plan.bus.wire(at: pin)?.parts.first
    guard let part else { return pin == 1 ? "□" : "○" }
    return paint(pin == 1 ? "■" : "●", part)
  }

  // MARK: Beside the pins

  /// The drawing beside a row of the header: a component, the wires, a label.
  private func strip(_ row: Int, _ side: HeaderSide) -> String {
    guard let margin = margins[side] else { return "" }
    let wires = plan.wires.filter { HeaderSide(ofPin: $0.pin) == side }
    let own = wires.first { ($0.pin - 1) / 2 == row }
    let rail = wires.first { $0.isLoop && ($0.railPin - 1) / 2 == row }
    let horizontal = own ?? rail
    let bus = horizontal == nil ? plan.bus.wire(at: 2 * row + (side == .left ? 1 : 2)) : nil
    let part = horizontal?.part ?? bus?.parts.first

    var cells = [String](repeating: " ", count: margin)
    for wire in wires where wire.isLoop && wire.rows.contains(row) && wire != horizontal {
      cells[2 * wire.lane + 1] = paint("│", wire.part)
    }
    if let wire = horizontal {
      let end = wire.isLoop ? 2 * wire.lane + 1 : margin
      for column in 0..<end where cells[column] == " " { cells[column] = paint("─", wire.part) }
      if wire.isLoop {
        cells[end] = paint(corner(side, isUpper: row == wire.rows.lowerBound), wire.part)
      }
    } else if let part {
      for column in cells.indices where cells[column] == " " { cells[column] = paint("─", part) }
    }
    var component = String(repeating: " ", count: Self.componentWidth)
    if let wire = own {
      component = paint(WiringText.component(wire, side), wire.part)
    } else if let part {
      component = paint(String(repeating: "─", count: Self.componentWidth), part)
    }
    let label = own.map { WiringText.end($0) } ?? bus.map { WiringText.end($0, side) } ?? ""
    switch side {
    case .right:
      let text = label.isEmpty ? "" : " " + (part.map { paint(label, $0) } ?? label)
      let isEmpty = part == nil && cells.allSatisfy { $0 == " " }
      return isEmpty
        ? "" : gap(part, row, side) + component + trimmed(cells, isEnd: text.isEmpty) + text
    case .left:
      let text = padded(label, labelWidth, isRight: true)
      let isOwn = own != nil || bus != nil
      return (isOwn ? part.map { paint(text, $0) } ?? text : text) + " "
        + cells.reversed().joined() + component + gap(part, row, side)
    }
  }

  /// The character between a pin's label and the drawing beside it.
  private func gap(_ part: BoardPart?, _ row: Int, _ side: HeaderSide) -> String {
    let pin = 2 * row + (side == .left ? 1 : 2)
    guard let part, PinHeader.name(ofPin: pin).count < 6 else { return " " }
    return paint("─", part)
  }

  private func trimmed(_ cells: [String], isEnd: Bool) -> String {
    var cells = cells
    while isEnd, cells.last == " " { cells.removeLast() }
    return cells.joined()
  }

  private func corner(_ side: HeaderSide, isUpper: Bool) -> String {
    switch side {
    case .left: isUpper ? "┌" : "└"
    case .right: isUpper ? "┐" : "┘"
    }
  }

  private func padded(_ text: String, _ width: Int, isRight: Bool) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return isRight ? space + text : text + space
  }

  private func paint(_ text: String, _ part: BoardPart) -> String {
    guard isColored, !text.isEmpty else { return text }
    return "\u{1B}[\(part.color)m\(text)\u{1B}[0m"
  }
}

extension BoardPart {
  /// The parameter of SGR, the escape sequence that paints it: ECMA-48, 8.3.117.
  fileprivate var color: Int {
    switch self {
    case .shake: 36
    case .clear: 35
    case .status: 32
    case .answer: 33
    case .motion: 34
    case .display: 31
    }
  }
}

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

  /// The label at the far end of a wire of parts on the bus: "motion, display SDA".
  static func end(_ wire: BusWiring.Wire, _ side: HeaderSide) -> String {
    let parts = wire.parts.map(\.description).joined(separator: ", ")
    return side == .left ? "\(parts) \(wire.signal)" : "\(wire.signal) \(parts)"
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
