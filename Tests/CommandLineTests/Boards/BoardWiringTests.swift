import EightBall
import Expectations
import LinuxTestSupport

@testable import eightball

@Suite("Wiring drawings")
struct BoardWiringTests {
  /// How the shipped boards are wired.
  static let shipped = """
              ┌─────┐
       3V3  1 │ □ ○ │ 2  5V
     GPIO2  3 │ ○ ○ │ 4  5V
     GPIO3  5 │ ○ ○ │ 6  GND
     GPIO4  7 │ ○ ○ │ 8  GPIO14
       GND  9 │ ○ ○ │ 10 GPIO15
    GPIO17 11 │ ○ ● │ 12 GPIO18 ────○ ╱ ○─────┐ shake
    GPIO27 13 │ ○ ● │ 14 GND ─────────────────┘
    GPIO22 15 │ ○ ○ │ 16 GPIO23
       3V3 17 │ ○ ○ │ 18 GPIO24
    GPIO10 19 │ ○ ● │ 20 GND ─────────────────┐
     GPIO9 21 │ ○ ● │ 22 GPIO25 ────○ ╱ ○─────┘ clear
    GPIO11 23 │ ○ ○ │ 24 GPIO8
       GND 25 │ ○ ○ │ 26 GPIO7
     ID_SD 27 │ ○ ○ │ 28 ID_SC
     GPIO5 29 │ ○ ● │ 30 GND ─────────────────┐
     GPIO6 31 │ ○ ● │ 32 GPIO12 ─[330 Ω]──▶│──┘ status
    GPIO13 33 │ ○ ● │ 34 GND ─────────────────┐
    GPIO19 35 │ ○ ● │ 36 GPIO16 ─[330 Ω]──▶│──┘ answer
    GPIO26 37 │ ○ ○ │ 38 GPIO20
       GND 39 │ ○ ○ │ 40 GPIO21
              └─────┘
    """

  static let steps = """
    shake   push button between pin 12 (GPIO18) and pin 14 (GND)
    clear   push button between pin 22 (GPIO25) and pin 20 (GND)
    status  pin 32 (GPIO12) → 330 Ω → long leg of the LED; short leg → pin 30 (GND)
    answer  pin 36 (GPIO16) → 330 Ω → long leg of the LED; short leg → pin 34 (GND)
    """

  @Test(
    "Each shipped board's drawing has its title, wires and steps",
    arguments: KnownBoardTests.shipped.filter { !["pi-1", "virtual"].contains($0.name) })
  func shipped(board: KnownBoardTests.Shipped) throws {
    // On a keyboard computer and on a carrier board, pin 1 is elsewhere.
    let place =
      ["pi-400", "pi-500", "pi-cm4", "pi-cm5"].contains(board.name)
      ? "The documentation of the board shows where pin 1 (□) is."
      : "Pin 1 (□) is at the corner by the microSD card, even pins along the edge."
    expect(
      try drawing(board.name), is: "\(board.title)\n\n\(Self.shipped)\n\n\(place)\n\n\(Self.steps)")
  }

  @Test("The first Model A and Model B have 26 pins")
  func short() throws {
    expect(
      try drawing("pi-1"),
      is: """
        Board pi-1 (Raspberry Pi Model A and Raspberry Pi Model B), chip pinctrl-bcm2835

                                         ┌─────┐
                                  3V3  1 │ □ ○ │ 2  5V
                                GPIO2  3 │ ○ ○ │ 4  5V
                                GPIO3  5 │ ○ ○ │ 6  GND
                                GPIO4  7 │ ○ ○ │ 8  GPIO14
               ┌───────────────── GND  9 │ ● ○ │ 10 GPIO15
        status └──│◀──[330 Ω]─ GPIO17 11 │ ● ● │ 12 GPIO18 ────○ ╱ ○─────┐ shake
                               GPIO27 13 │ ○ ● │ 14 GND ─────────────────┘
        answer ┌──│◀──[330 Ω]─ GPIO22 15 │ ● ○ │ 16 GPIO23
               │                  3V3 17 │ ○ ○ │ 18 GPIO24
               │               GPIO10 19 │ ○ ● │ 20 GND ─────────────────┐
               │                GPIO9 21 │ ○ ● │ 22 GPIO25 ────○ ╱ ○─────┘ clear
               │               GPIO11 23 │ ○ ○ │ 24 GPIO8
               └───────────────── GND 25 │ ● ○ │ 26 GPIO7
                                         └─────┘

        Pin 1 (□) is at the corner by the SD card, even pins along the edge.

        shake   push button between pin 12 (GPIO18) and pin 14 (GND)
        clear   push button between pin 22 (GPIO25) and pin 20 (GND)
        status  pin 11 (GPIO17) → 330 Ω → long leg of the LED; short leg → pin 9 (GND)
        answer  pin 15 (GPIO22) → 330 Ω → long leg of the LED; short leg → pin 25 (GND)
        """)
  }

  @Test("The virtual board's drawing, here without its parts, has no line about the corner")
  func virtual() throws {
    expect(
      try drawing("virtual"), is: "Board virtual, chip virtual\n\n\(Self.shipped)\n\n\(Self.steps)")
  }

  @Test("Wires on both sides, one within another, one drawn to nowhere, one from 3V3")
  func bothSides() throws {
    let text = try drawing(
      "virtual", "shake.line=GPIO5", "clear.line=GPIO6", "status.line=GPIO26", "answer.active=low")
    expect(
      text,
      is: """
        Board virtual, chip virtual

                                           ┌─────┐
                                    3V3  1 │ □ ○ │ 2  5V
                                  GPIO2  3 │ ○ ○ │ 4  5V
                                  GPIO3  5 │ ○ ○ │ 6  GND
                                  GPIO4  7 │ ○ ○ │ 8  GPIO14
               ┌─────────────────── GND  9 │ ● ○ │ 10 GPIO15
               │                 GPIO17 11 │ ○ ○ │ 12 GPIO18
               │                 GPIO27 13 │ ○ ○ │ 14 GND
               │                 GPIO22 15 │ ○ ○ │ 16 GPIO23
               │                    3V3 17 │ ● ○ │ 18 GPIO24
               │                 GPIO10 19 │ ○ ○ │ 20 GND
               │                  GPIO9 21 │ ○ ○ │ 22 GPIO25
               │                 GPIO11 23 │ ○ ○ │ 24 GPIO8
               │ ┌───────────────── GND 25 │ ● ○ │ 26 GPIO7
               │ │                ID_SD 27 │ ○ ○ │ 28 ID_SC
         shake │ └─────○ ╱ ○───── GPIO5 29 │ ● ○ │ 30 GND
         clear └───────○ ╱ ○───── GPIO6 31 │ ● ○ │ 32 GPIO12
                                 GPIO13 33 │ ○ ○ │ 34 GND
                                 GPIO19 35 │ ○ ● │ 36 GPIO16 ─[330 Ω]──│◀─── answer, to pin 17 (3V3)
        status   ┌──│◀──[330 Ω]─ GPIO26 37 │ ● ○ │ 38 GPIO20
                 └───────────────── GND 39 │ ● ○ │ 40 GPIO21
                                           └─────┘

        shake   push button between pin 29 (GPIO5) and pin 25 (GND)
        clear   push button between pin 31 (GPIO6) and pin 9 (GND)
        status  pin 37 (GPIO26) → 330 Ω → long leg of the LED; short leg → pin 39 (GND)
        answer  pin 36 (GPIO16) → 330 Ω → short leg of the LED; long leg → pin 17 (3V3)
        """)
  }

  static let motion = ["motion.part=lis3dh", "motion.bus=i2c-1", "motion.line=GPIO17"]
  static let display = ["display.part=ssd1306", "display.bus=i2c-1"]

  @Test("A motion sensor and a display share a bus and a supply, as on the virtual board")
  func bothParts() throws {
    let text = try drawing("virtual", Self.motion + Self.display)
    let shipped = WiringDrawing(try KnownBoard.named("virtual").board, isColored: false)
    expect(shipped.lines.joined(separator: "\n"), is: text)
    expect(
      text,
      is: """
        Board virtual, chip virtual

                                                      ┌─────┐
        motion, display VCC ────────────────── 3V3  1 │ ■ ○ │ 2  5V
        motion, display SDA ──────────────── GPIO2  3 │ ● ○ │ 4  5V
        motion, display SCL ──────────────── GPIO3  5 │ ● ○ │ 6  GND
                                             GPIO4  7 │ ○ ○ │ 8  GPIO14
        motion, display GND ────────────────── GND  9 │ ● ○ │ 10 GPIO15
                motion INT1 ─────────────── GPIO17 11 │ ● ● │ 12 GPIO18 ────○ ╱ ○─────┐ shake
                                            GPIO27 13 │ ○ ● │ 14 GND ─────────────────┘
                                            GPIO22 15 │ ○ ○ │ 16 GPIO23
                                               3V3 17 │ ○ ○ │ 18 GPIO24
                                            GPIO10 19 │ ○ ● │ 20 GND ─────────────────┐
                                             GPIO9 21 │ ○ ● │ 22 GPIO25 ────○ ╱ ○─────┘ clear
                                            GPIO11 23 │ ○ ○ │ 24 GPIO8
                                               GND 25 │ ○ ○ │ 26 GPIO7
                                             ID_SD 27 │ ○ ○ │ 28 ID_SC
                                             GPIO5 29 │ ○ ● │ 30 GND ─────────────────┐
                                             GPIO6 31 │ ○ ● │ 32 GPIO12 ─[330 Ω]──▶│──┘ status
                                            GPIO13 33 │ ○ ● │ 34 GND ─────────────────┐
                                            GPIO19 35 │ ○ ● │ 36 GPIO16 ─[330 Ω]──▶│──┘ answer
                                            GPIO26 37 │ ○ ○ │ 38 GPIO20
                                               GND 39 │ ○ ○ │ 40 GPIO21
                                                      └─────┘

        \(Self.steps)
        motion  lis3dh at 0x18: VCC → pin 1 (3V3), GND → pin 9 (GND)
                and SDA → pin 3 (GPIO2), SCL → pin 5 (GPIO3), INT1 → pin 11 (GPIO17)
        display ssd1306 at 0x3C: VCC → pin 1 (3V3), GND → pin 9 (GND)
                and SDA → pin 3 (GPIO2), SCL → pin 5 (GPIO3)
        """)
  }

  // Symptom of a plan for 40 pins: a wire to pin 39.
  @Test("On a header of 26 pins whose left ground pins are in use, a part's ground is on the right")
  func shortHeaderWithParts() throws {
    let text = try drawing(
      "pi-1",
      [
        "motion.part=mpu6050", "motion.bus=i2c-1", "motion.line=GPIO7", "display.part=hd44780",
        "display.bus=i2c-0", "display.address=0x3f",
      ])
    expect(
      text.split(separator: "\n").dropFirst().joined(separator: "\n"),
      is: """
                                             ┌─────┐
        motion VCC ────────────────── 3V3  1 │ ■ ○ │ 2  5V
        motion SDA ──────────────── GPIO2  3 │ ● ○ │ 4  5V
        motion SCL ──────────────── GPIO3  5 │ ● ● │ 6  GND ────────────────── GND motion
                                    GPIO4  7 │ ○ ○ │ 8  GPIO14
                   ┌───────────────── GND  9 │ ● ○ │ 10 GPIO15
            status └──│◀──[330 Ω]─ GPIO17 11 │ ● ● │ 12 GPIO18 ────○ ╱ ○─────┐ shake
                                   GPIO27 13 │ ○ ● │ 14 GND ─────────────────┘
            answer ┌──│◀──[330 Ω]─ GPIO22 15 │ ● ○ │ 16 GPIO23
                   │                  3V3 17 │ ○ ○ │ 18 GPIO24
                   │               GPIO10 19 │ ○ ● │ 20 GND ─────────────────┐
                   │                GPIO9 21 │ ○ ● │ 22 GPIO25 ────○ ╱ ○─────┘ clear
                   │               GPIO11 23 │ ○ ○ │ 24 GPIO8
                   └───────────────── GND 25 │ ● ● │ 26 GPIO7 ──────────────── INT motion
                                             └─────┘
        Pin 1 (□) is at the corner by the SD card, even pins along the edge.
        shake   push button between pin 12 (GPIO18) and pin 14 (GND)
        clear   push button between pin 22 (GPIO25) and pin 20 (GND)
        status  pin 11 (GPIO17) → 330 Ω → long leg of the LED; short leg → pin 9 (GND)
        answer  pin 15 (GPIO22) → 330 Ω → long leg of the LED; short leg → pin 25 (GND)
        motion  mpu6050 at 0x68: VCC → pin 1 (3V3), GND → pin 6 (GND)
                and SDA → pin 3 (GPIO2), SCL → pin 5 (GPIO3), INT → pin 26 (GPIO7)
        display hd44780 at 0x3F on i2c-0: not on this header
        """)
  }

  @Test("A board with a display alone; an interrupt and a bus that are not on the header")
  func displayAlone() throws {
    var board = BoardDescription(name: "b", display: BusPart(.ssd1306, bus: 1))
    let lines = WiringDrawing(board, isColored: false).lines
    expect(lines[3], is: "display VCC ────────────────── 3V3  1 │ ■ ○ │ 2  5V")
    expect(
      lines.suffix(2),
      is: [
        "display ssd1306 at 0x3C: VCC → pin 1 (3V3), GND → pin 9 (GND)",
        "        and SDA → pin 3 (GPIO2), SCL → pin 5 (GPIO3)",
      ])
    board.display = nil
    board.chip = "c"
    board.motion = MotionDescription(BusPart(.lis3dh, bus: 1), line: .light("INT", 3))
    expect(
      WiringDrawing(board, isColored: false).lines,
      is: [
        "Board b, chip c", "", "motion  lis3dh at 0x18 on i2c-1: not on this header",
        "motion  line INT, offset 3 of c: not on this header",
      ])
  }

  @Test("A line that the bus of a part uses is refused")
  func busLine() throws {
    for line in ["GPIO2", "GPIO3"] {
      let refusal = BoardError(
        "virtual", field: "clear.line", "display needs \(line), which is of the bus i2c-1")
      #expect(throws: refusal) {
        try WiringDrawing.check(board("virtual", ["clear.line=\(line)"] + Self.display))
      }
      try WiringDrawing.check(board("virtual", ["clear.line=\(line)"]))
      try WiringDrawing.check(
        board("virtual", ["clear.line=\(line)", "display.part=ssd1306", "display.bus=i2c-3"]))
    }
  }

  @Test("A button that the chip does not pull needs a resistor")
  func resistor() throws {
    expect(
      try drawing("virtual", "shake.bias=none").hasSuffix(
        """
        shake   push button between pin 12 (GPIO18) and pin 14 (GND)
                and 10 kΩ from pin 12 (GPIO18) to 3V3
        \(Self.steps.split(separator: "\n").dropFirst().joined(separator: "\n"))
        """))
    expect(
      try drawing("virtual", "shake.active=high", "shake.bias=pull-down").contains(
        "shake   push button between pin 12 (GPIO18) and pin 17 (3V3)\nclear"))
  }

  @Test("Lines by the names of old systems are found by their offset")
  func oldNames() throws {
    expect(
      try drawing("pi-4b", "shake.line=SPI_CE0_N", "shake.offset=8").contains(
        "shake   push button between pin 24 (GPIO8) and pin 14 (GND)"))
  }

  @Test("Lines that are not on the header, and a board without lines")
  func elsewhere() {
    var board = BoardDescription(name: "b", chip: "c", shake: .button("X1", 18))
    expect(
      WiringDrawing(board, isColored: false).lines,
      is: [
        "Board b, chip c", "", "shake   line X1, offset 18 of c: not on this header",
      ])
    board.shake = nil
    expect(
      WiringDrawing(board, isColored: false).lines,
      is: [
        "Board b, chip c", "", "The board has no buttons or lights.",
      ])
  }

  @Test("A line that the chip lacks is refused, and a chip of another kind has any line")
  func missingLine() throws {
    var board = BoardDescription(name: "b", chip: "pinctrl-bcm2711", shake: .button(57))
    try WiringDrawing.check(board)
    board.shake?.name = .gpio(58)
    #expect(
      throws: BoardError(
        "b", field: "shake.line", "pinctrl-bcm2711 has the lines GPIO0 to GPIO57, and no GPIO58")
    ) { try WiringDrawing.check(board) }
    board.chip = "c"
    try WiringDrawing.check(board)
  }

  @Test(
    "The nearest name is suggested",
    arguments: [
      ("pi4", "pi-4b"), ("pi-5b", "pi-5"), ("vitrual", "virtual"), ("pi-b", nil), ("toaster", nil),
      ("", nil),
    ] as [(String, String?)])
  func nearest(text: String, name: String?) {
    expect(
      nearestName(to: text, among: ["pi-3b", "pi-4b", "pi-5", "pi-zero", "virtual"]), is: name)
  }

  @Test("Wherever a button is, each wire has two pins, and its own rail pin while one is free")
  func everywhere() {
    var pins: [Int] = []
    for number in 2...27 {
      let line = LineDescription.button(number)
      let plan = WiringPlan(BoardDescription(name: "b", chip: "c", shake: line))
      expect(plan.wires.count, is: 1)
      for wire in plan.wires {
        expect(PinHeader.name(ofPin: wire.pin), is: line.name.description)
        expect(PinHeader.name(ofPin: wire.railPin), is: "GND")
        expect(wire.isLoop)
        pins.append(wire.pin)
      }
    }
    // 40 pins - 2 (3V3) - 2 (5V) - 8 (GND) - 2 (ID) = 26 lines.
    expect(Set(pins).count, is: 26)
  }

  @Test("Colours change nothing but colours")
  func colors() throws {
    let board = try board("pi-4b", Self.motion + Self.display)
    let plain = WiringDrawing(board, isColored: false).lines
    let painted = WiringDrawing(board, isColored: true).lines
    expect(painted != plain)
    expect(painted.map(Self.withoutColors), is: plain)
  }

  /// The drawing of a shipped board, with settings.
  private func drawing(_ name: String, _ settings: String...) throws -> String {
    try drawing(name, settings)
  }

  private func drawing(_ name: String, _ settings: [String]) throws -> String {
    let drawing = WiringDrawing(
      try board(name, settings), models: try KnownBoard.named(name).models, isColored: false)
    return drawing.lines.joined(separator: "\n")
  }

  /// A shipped board without motion sensor and display, with settings.
  private func board(_ name: String, _ settings: [String]) throws -> BoardDescription {
    var board = try KnownBoard.named(name).board
    board.motion = nil
    board.display = nil
    try board.apply(try settings.map { try BoardSetting($0) })
    return board
  }

  private static func withoutColors(_ text: String) -> String {
    var plain = ""
    var isInSequence = false
    for character in text {
      if character == "\u{1B}" { isInSequence = true }
      if !isInSequence { plain.append(character) }
      if character == "m" { isInSequence = false }
    }
    return plain
  }
}
