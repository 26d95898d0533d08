import BluetoothHost
import EightBall
import Expectations
import VirtualBoard

@Suite("The virtual HD44780")
struct VirtualHD44780Tests {
  private let expander = VirtualPCF8574(frequency: 400_000)
  private var display: VirtualHD44780 { expander.display }

  /// Writes bytes to the port, 22.5 µs each.
  private func write(_ bytes: UInt8...) {
    for (index, byte) in bytes.enumerated() { _ = expander.receive(byte, isFirst: index == 0) }
  }

  private func advance(by milliseconds: UInt64) {
    expander.advance(to: Instant(rawValue: display.now / 1_000_000 + milliseconds + 1))
  }

  /// Writes half a byte with E up and down.
  private func half(_ bits: UInt8, isData: Bool = false) {
    let port = bits << 4 | 0x08 | (isData ? 1 : 0)
    write(port, port | 0x04, port)
  }

  private func instruct(_ byte: UInt8) {
    half(byte >> 4)
    half(byte & 0x0F)
  }

  private func show(_ text: String) {
    for byte in text.utf8 {
      half(byte >> 4, isData: true)
      half(byte & 0x0F, isData: true)
    }
  }

  /// The initialisation of figure 24, and display on.
  private func setUp() {
    write(0x08)
    advance(by: 15)
    half(3)
    advance(by: 5)
    half(3)
    advance(by: 1)
    half(3)
    half(2)
    instruct(0x28)
    instruct(0x08)
    instruct(0x01)
    advance(by: 2)
    instruct(0x06)
    instruct(0x0C)
  }

  @Test("It shows what is written after figure 24's initialisation")
  func initialisation() {
    expect(display.lines, is: [String](repeating: String(repeating: " ", count: 16), count: 2))
    setUp()
    show("Yes.")
    instruct(0xC2)
    show("\\~")
    expect(display.lines, is: ["Yes.            ", "  ¥→            "])
    expect(display.lostCount, is: 0)
    expect(display.timingErrorCount, is: 0)
    instruct(0x08)
    expect(display.lines, is: [String](repeating: String(repeating: " ", count: 16), count: 2))
  }

  @Test(
    "What comes while it is busy is lost: after the supply, the first function sets and a clear")
  func busy() {
    write(0x08)
    half(3)
    expect(display.lostCount, is: 1)
    advance(by: 10)
    half(3)
    half(3)
    expect(display.lostCount, is: 2)
    advance(by: 4)
    half(3)
    half(3)
    expect(display.lostCount, is: 3)
    half(3)
    half(2)
    instruct(0x01)
    instruct(0x06)
    expect(display.lostCount, is: 4)
  }

  @Test("The busy flag and the address can be read, and a read changes nothing")
  func reading() {
    setUp()
    show("AB")
    // R/W and E up: the busy flag and the upper half of the address.
    write(0xF2, 0xF6)
    expect(expander.send() & 0xF0, is: 0x00)
    write(0xF2, 0x08)
    instruct(0xC5)
    write(0xF2, 0xF6)
    expect(expander.send() & 0xF0, is: 0x40)
    write(0xF2, 0x08)
    instruct(0x01)
    write(0xF2, 0xF6)
    expect(expander.send() & 0xF0, is: 0x80)
    write(0xF2, 0x08)
    expect(display.timingErrorCount, is: 0)
  }

  @Test("A line that changes with E is noted")
  func edges() {
    setUp()
    // RS with the rising edge; data with the falling one.
    write(0x08, 0x0D, 0x09)
    expect(display.timingErrorCount, is: 1)
    write(0x19, 0x1D, 0x29)
    expect(display.timingErrorCount, is: 2)
  }

  @Test("Rows follow each other, the display shifts, and the cursor moves")
  func addresses() {
    setUp()
    instruct(0xA7)
    show("xy")
    expect(display.lines[1], is: "y               ")
    instruct(0x80)
    show("ABC")
    // The cursor to the left, then the display.
    instruct(0x10)
    show("D")
    expect(display.lines[0], is: "ABD             ")
    instruct(0x18)
    expect(display.lines[0], is: "BD              ")
    instruct(0x1C)
    instruct(0x1C)
    // The last of 40 characters of the row is at the left.
    expect(display.lines[0], is: "xABD            ")
    instruct(0x02)
    advance(by: 2)
    // From right to left.
    instruct(0x04)
    show("E")
    expect(display.lines, is: ["EBD             ", "y               "])
  }

  @Test("The character memory is apart from the display's")
  func characters() {
    setUp()
    instruct(0x48)
    show("abcdefgh")
    expect(display.lines[0], is: "                ")
    instruct(0x80)
    show("\u{1}")
    expect(display.lines[0], is: "▒               ")
  }

  @Test("Without supply both forget everything")
  func power() {
    setUp()
    show("Yes.")
    write(0x00)
    expect(!expander.isBacklit)
    expander.losePower()
    expect(expander.port, is: 0xFF)
    expect(expander.isBacklit)
    expect(!display.isOn)
    setUp()
    expect(display.lines[0], is: "                ")
    show("No.")
    expect(display.lines[0], is: "No.             ")
  }
}
