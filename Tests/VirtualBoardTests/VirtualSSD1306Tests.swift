import EightBall
import Expectations
import VirtualBoard

@Suite("The virtual SSD1306")
struct VirtualSSD1306Tests {
  private let bus = VirtualI2CBus()
  private let display = VirtualSSD1306()

  init() { bus.attach(display, at: 0x3C) }

  private func write(_ bytes: UInt8...) throws { try bus.write(bytes.span, to: 0x3C) }

  /// Charge pump and display on, the glass as it is mounted, and an empty memory.
  private func setUp() throws {
    try write(0x00, 0x8D, 0x14, 0xA1, 0xC8, 0x20, 0x00, 0x21, 0, 127, 0x22, 0, 7)
    for _ in 0..<8 { try bus.write(([0x40] + [UInt8](repeating: 0, count: 128)).span, to: 0x3C) }
    try write(0x00, 0x20, 0x02, 0xAF)
  }

  /// The lit pixels, row by row.
  private var lit: [[Int]] {
    (0..<64).flatMap { y in (0..<128).compactMap { display.isLit($0, y) ? [$0, y] : nil } }
  }

  @Test("It is dark until both the display and the charge pump are on")
  func on() throws {
    expect(lit, is: [])
    try write(0x00, 0xAF)
    expect(lit, is: [])
    try write(0x00, 0x8D, 0x14)
    // A memory without content after power-on.
    expect(!lit.isEmpty)
    try write(0x00, 0xAE)
    expect(lit, is: [])
    expect(display.commands, is: [0xAF, 0x8D, 0xAE])
  }

  @Test("With a continuation bit, a control byte comes before each byte")
  func controlBytes() throws {
    try setUp()
    // Page 2, column 0x15, one byte: the top pixel of the page.
    try write(0x80, 0xB2, 0x80, 0x05, 0x80, 0x11, 0x40, 0x01)
    expect(lit, is: [[0x15, 16]])
    // One byte of data, then a command.
    try write(0xC0, 0x80, 0x80, 0x81, 0x80, 0x33)
    expect(lit, is: [[0x15, 16], [0x16, 23]])
    expect(display.contrast, is: 0x33)
  }

  @Test("The address moves on as its mode says")
  func addressing() throws {
    try setUp()
    // In the page mode a page begins again at its left.
    try write(0x00, 0xB1, 0x0F, 0x17)
    try write(0x40, 0x01, 0x01)
    expect(lit, is: [[0, 8], [127, 8]])
    // Horizontal, in columns 3 and 4 of pages 2 and 3.
    try setUp()
    try write(0x00, 0x20, 0x00, 0x21, 3, 4, 0x22, 2, 3)
    try write(0x40, 0x01, 0x02, 0x04, 0x08)
    expect(lit, is: [[3, 16], [4, 17], [3, 26], [4, 27]])
    // Vertical: down first.
    try setUp()
    try write(0x00, 0x20, 0x01, 0x21, 3, 4, 0x22, 2, 3)
    try write(0x40, 0x01, 0x02, 0x04, 0x08, 0x10)
    expect(lit, is: [[4, 18], [3, 20], [3, 25], [4, 27]])
  }

  @Test("Segments, scan direction, start line and inversion change what the glass shows")
  func orientation() throws {
    try setUp()
    try write(0x00, 0xB0, 0x00, 0x10)
    try write(0x40, 0x02)
    expect(lit, is: [[0, 1]])
    try write(0x00, 0xC0)
    expect(lit, is: [[0, 62]])
    try write(0x00, 0xC8, 0x41)
    expect(lit, is: [[0, 0]])
    try write(0x00, 0x40, 0xD3, 0x01)
    expect(lit, is: [[0, 0]])
    // Only what is stored later is mirrored.
    try write(0x00, 0xD3, 0x00, 0xA0, 0x00, 0x10)
    try write(0x40, 0x04)
    expect(lit, is: [[0, 1], [127, 2]])
    try write(0x00, 0xA7)
    expect(lit.count, is: 128 * 64 - 2)
    try write(0x00, 0xA6, 0xA5)
    expect(lit.count, is: 128 * 64)
    try write(0x00, 0xA4, 0xA8, 0x1F)
    expect(display.unknownCommands, is: [])
  }

  @Test("Each command has its length, and an unknown one is noted")
  func lengths() throws {
    try setUp()
    // Scrolls, their area, and timings, before a contrast that would be a parameter if one were too short.
    try write(
      0x00, 0x26, 0, 0, 0, 1, 0, 0xFF, 0x29, 0, 0, 0, 1, 1, 0xA3, 0, 64, 0x2E, 0x2F, 0x81, 0x44)
    try write(0x00, 0xD5, 0x80, 0xD9, 0x22, 0xDA, 0x12, 0xDB, 0x20, 0xE3, 0x81, 0x55)
    expect(display.contrast, is: 0x55)
    expect(display.unknownCommands, is: [])
    try write(0x00, 0xFF)
    expect(display.unknownCommands, is: [0xFF])
  }

  @Test("Its text is the glass in Braille")
  func braille() throws {
    try setUp()
    try write(0x40, 0xFF, 0x01)
    let lines = display.text.split(separator: "\n")
    expect(lines.map(\.count), is: [Int](repeating: 64, count: 16))
    expect(String(lines[0].prefix(2)), is: "⡏⠀")
    expect(String(lines[1].prefix(2)), is: "⡇⠀")
  }

  @Test("Its status says whether it is off, and without supply it forgets everything")
  func power() throws {
    try setUp()
    expect(try status(), is: 0x00)
    display.losePower()
    expect(try status(), is: 0x40)
    expect(lit, is: [])
    try write(0x00, 0x8D, 0x14, 0xAF)
    expect(!lit.isEmpty)
  }

  private func status() throws -> UInt8 {
    let bytes: InlineArray<1, UInt8> = try bus.read(from: 0x00, of: 0x3C)
    return bytes[0]
  }
}
