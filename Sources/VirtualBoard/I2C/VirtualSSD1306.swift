/// A model of a display of 128×64 pixels with the controller SSD1306 of Solomon Systech, as on the usual module: its
/// glass is mounted upside down, so that segment re-map and COM output scan direction are reversed, and it is lit by the
/// controller's charge pump. Data sheet, rev. 1.1.
///
///     let display = VirtualSSD1306()
///     bus.attach(display, at: 0x3C)
///     // after a program has drawn
///     print(display.text)
public final class VirtualSSD1306: VirtualI2CDevice {
  /// The width of the glass, in pixels.
  public static let width = 128
  /// The height of the glass, in pixels.
  public static let height = 64

  /// Whether the display is on: AEh, AFh. 10.1.12.
  public private(set) var isOn = false
  /// The contrast, which is the brightness: 0 to 255. 10.1.7.
  public private(set) var contrast: UInt8 = 0x7F
  /// The bytes of commands that the data sheet does not have.
  public private(set) var unknownCommands: [UInt8] = []
  /// The first byte of each of the last commands that were received, up to 512, in their order.
  public private(set) var commands: [UInt8] = []
  /// How many bytes were written to the memory.
  public private(set) var dataCount = 0

  /// The graphic display data RAM, by pages of eight rows and by segments. 8.7.
  private var memory: [[UInt8]]
  /// The registers that the present command and the memory use.
  private var registers = Registers()
  /// The command whose bytes are not complete.
  private var command: [UInt8] = []
  /// The control byte that the next byte follows; `nil` if the next byte is one. 8.1.5.2.
  private var control: UInt8?

  /// What a reset sets. 8.5, table 9-1.
  private struct Registers {
    var isChargePumpOn = false
    var isRemapped = false
    var isScanReversed = false
    var showsAll = false
    var isInverse = false
    var startLine = 0
    var offset = 0
    var multiplexRatio = 64
    var mode = AddressingMode.page
    var columns = 0...127
    var pages = 0...7
    var page = 0
    var column = 0
  }

  /// How the address moves after a byte. 10.1.3.
  private enum AddressingMode: UInt8 {
    case horizontal, vertical, page
  }

  /// A display that has just been supplied: its memory has any content, and it is off.
  public init() { memory = Self.noise }

  /// Takes the supply away and gives it back: its memory and its settings are lost.
  public func losePower() {
    memory = Self.noise
    registers = Registers()
    isOn = false
    contrast = 0x7F
    command = []
    control = nil
  }

  // MARK: For tests and pictures

  /// Whether a pixel of the glass is lit.
  ///
  /// - Parameters:
  ///   - x: 0 to 127, from the left.
  ///   - y: 0 to 63, from the top.
  public func isLit(_ x: Int, _ y: Int) -> Bool {
    guard isOn, registers.isChargePumpOn, x >= 0, x < Self.width, y >= 0, y < Self.height else {
      return false
    }
    if registers.showsAll { return true }
    // The left edge is SEG127, and the top is COM63.
    let com = Self.height - 1 - y
    let line = registers.isScanReversed ? registers.multiplexRatio - 1 - com : com
    guard line >= 0, line < registers.multiplexRatio else { return false }
    let row = (line + registers.offset + registers.startLine) % Self.height
    return (memory[row / 8][Self.width - 1 - x] >> (row % 8) & 1 == 1) != registers.isInverse
  }

  /// The glass: for each eight rows, from the top on, a byte for each of the 128 columns. Bit 0 is its top pixel, and a
  /// one is lit.
  public var pages: [UInt8] {
    (0..<Self.height / 8).flatMap { page in
      (0..<Self.width).map { column in
        (0..<8).reduce(0) { $0 | (isLit(column, page * 8 + $1) ? 1 << UInt8($1) : 0) }
      }
    }
  }

  /// The glass in Braille, 16 lines of 64 characters, each of 2×4 pixels.
  public var text: String {
    Braille.lines(ofPages: pages, width: Self.width).joined(separator: "\n")
  }

  // MARK: For the bus

  /// Takes a control byte, a byte of a command, or a byte for the memory. 8.1.5.2.
  public func receive(_ byte: UInt8, isFirst: Bool) -> Bool {
    guard !isFirst, let control else {
      control = byte
      return true
    }
    if control & 0x40 != 0 { store(byte) } else { receive(command: byte) }
    // With a continuation bit, another control byte follows.
    if control & 0x80 != 0 { self.control = nil }
    return true
  }

  /// Its status: bit 6 is set while the display is off. 10.1.21.
  public func send() -> UInt8 { isOn ? 0x00 : 0x40 }

  /// The transfer has ended.
  public func stop() { control = nil }

  // MARK: Commands

  private func receive(command byte: UInt8) {
    command.append(byte)
    guard command.count == Self.length(ofCommand: command[0]) else { return }
    let complete = command
    command = []
    if commands.count == 512 { commands.removeFirst(256) }
    commands.append(complete[0])
    execute(complete)
  }

  /// The length of a command with its parameters, in bytes. Table 9-1.
  private static func length(ofCommand first: UInt8) -> Int {
    switch first {
    case 0x20, 0x81, 0x8D, 0xA8, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB: 2
    case 0x21, 0x22, 0xA3: 3
    case 0x26, 0x27: 7
    case 0x29, 0x2A: 6
    default: 1
    }
  }

  private func execute(_ command: [UInt8]) {
    let value = Int(command.last ?? 0)
    switch command[0] {
    case 0x00...0x0F: registers.column = registers.column & 0x70 | value
    case 0x10...0x1F: registers.column = registers.column & 0x0F | (value & 0x07) << 4
    case 0x20: registers.mode = AddressingMode(rawValue: command[1] & 3) ?? .page
    case 0x21:
      registers.columns = Self.range(command, limit: 127)
      registers.column = registers.columns.lowerBound
    case 0x22:
      registers.pages = Self.range(command, limit: 7)
      registers.page = registers.pages.lowerBound
    case 0x40...0x7F: registers.startLine = value & 0x3F
    case 0x81: contrast = command[1]
    case 0x8D: registers.isChargePumpOn = value & 0x04 != 0
    case 0xA0, 0xA1: registers.isRemapped = value & 1 == 1
    case 0xA4, 0xA5: registers.showsAll = value & 1 == 1
    case 0xA6, 0xA7: registers.isInverse = value & 1 == 1
    case 0xA8: registers.multiplexRatio = max(value & 0x3F, 15) + 1
    case 0xAE, 0xAF: isOn = value & 1 == 1
    case 0xB0...0xB7: registers.page = value & 7
    case 0xC0...0xCF: registers.isScanReversed = value & 8 != 0
    case 0xD3: registers.offset = value & 0x3F
    // Timing and voltages, scrolling, and NOP.
    case 0xD5, 0xD9, 0xDA, 0xDB, 0x26, 0x27, 0x29, 0x2A, 0x2E, 0x2F, 0xA3, 0xE3: break
    default: unknownCommands.append(command[0])
    }
  }

  private static func range(_ command: [UInt8], limit: UInt8) -> ClosedRange<Int> {
    let (first, last) = (Int(command[1] & limit), Int(command[2] & limit))
    return first...max(first, last)
  }

  // MARK: Memory

  /// Stores a byte at the address, which moves on. The segment re-map concerns only what is stored after it. 10.1.8.
  private func store(_ byte: UInt8) {
    dataCount += 1
    let segment = registers.isRemapped ? Self.width - 1 - registers.column : registers.column
    memory[registers.page][segment] = byte
    switch registers.mode {
    case .page: registers.column = (registers.column + 1) % Self.width
    case .horizontal:
      if advance(&registers.column, in: registers.columns) {
        _ = advance(&registers.page, in: registers.pages)
      }
    case .vertical:
      if advance(&registers.page, in: registers.pages) {
        _ = advance(&registers.column, in: registers.columns)
      }
    }
  }

  /// Moves on in a range; `true` if it begins again.
  private func advance(_ address: inout Int, in range: ClosedRange<Int>) -> Bool {
    let isLast = address == range.upperBound
    address = isLast ? range.lowerBound : (address + 1) % (range.upperBound + 1)
    return isLast
  }

  /// The content of a memory without supply.
  private static var noise: [[UInt8]] {
    (0..<8).map { page in
      (0..<width).map { UInt8(truncatingIfNeeded: (page * 131 + $0 * 29) ^ 0x5A) }
    }
  }
}
