import BluetoothHost

/// A display of two rows of 16 characters with the controller HD44780U of Hitachi (ADE-207-272(Z)), behind an expander
/// PCF8574 of NXP, wired as on the usual backpack: P0 is RS, P1 R/W, P2 E, P3 the backlight, P4 to P7 are DB4 to DB7.
///
/// Only characters that change are sent. It has no brightness: dim is without backlight, and the text can then still be
/// read in the light. What the ROM with code A00 lacks is its full block; a dash is a hyphen, an ellipsis a full stop.
///
/// The PCF8574 is for 100 kHz. Waits are long enough for a bus at 400 kHz too, at which it often works.
public struct HD44780: DisplayPanel {
  /// The usual address, of a PCF8574 with A0 to A2 high. A PCF8574A has 0x3F.
  public static var usualAddress: UInt8 { 0x27 }

  /// Its address on the bus.
  public let address: UInt8

  /// The next step of the initialisation.
  private var step = 0
  private var shown = Self.blankCells
  private var wanted = Self.blankCells
  /// What `wanted` shows.
  private var text = ScreenText()
  /// The brightness that was set last; `nil` if it is not known.
  private var brightness: Brightness?
  /// The cell that the display writes next; `cellCount` if it is another.
  private var cursor = 0

  private static var rowLength: Int { 16 }
  private static var cellCount: Int { 32 }
  private static var blankCells: InlineArray<32, UInt8> { InlineArray(repeating: 0x20) }

  /// A display whose settings and content are unknown.
  public init(address: UInt8 = usualAddress) { self.address = address }

  /// Forgets what the display shows.
  public mutating func reset() { self = HD44780(address: address) }

  /// Writes a step of the initialisation, some characters, or the brightness, whichever is next.
  @inline(never)
  public mutating func writeNext(
    towards text: ScreenText, _ brightness: Brightness, to writer: inout ByteWriter
  ) -> UInt32? {
    let backpack = Backpack(light: brightness == .lit ? Backpack.backlight : 0)
    if let wait = writeInitialisation(by: backpack, to: &writer) { return wait }
    if brightness != .off, text != self.text { arrange(text) }
    if writeChanges(by: backpack, to: &writer) { return 0 }
    guard brightness != self.brightness else { return nil }
    self.brightness = brightness
    // Display on or off, without a cursor.
    backpack.write(instruction: brightness == .off ? 0x08 : 0x0C, to: &writer)
    return 0
  }

  /// Writes the next step of the initialisation by instruction: figure 24.
  ///
  /// - Returns: The wait after it in milliseconds, at least one more than in the figure, since the present millisecond
  ///   has begun; `nil` after the last step.
  private mutating func writeInitialisation(by backpack: Backpack, to writer: inout ByteWriter)
    -> UInt32?
  {
    guard step < 7 else { return nil }
    defer { step &+= 1 }
    switch step {
    case 0:
      // E low; then more than 40 ms after 2.7 V.
      writer.write(backpack.light)
      return 50
    case 1:
      // Function set, 8 bits, three times: whatever half of a transfer the display waits for.
      backpack.write(nibble: 0x30, to: &writer)
      return 6
    case 2, 3:
      backpack.write(nibble: 0x30, to: &writer)
      return 2
    case 4:
      // 4 bits.
      backpack.write(nibble: 0x20, to: &writer)
      return 2
    case 5:
      // Function set: 4 bits, 2 rows, 5×8 dots. Display off. Clear display: 1.52 ms.
      backpack.write(instruction: 0x28, to: &writer)
      backpack.write(instruction: 0x08, to: &writer)
      backpack.write(instruction: 0x01, to: &writer)
      return 3
    default:
      // Entry mode set: from left to right.
      backpack.write(instruction: 0x06, to: &writer)
      return 0
    }
  }

  /// Sets the characters of both rows.
  private mutating func arrange(_ text: ScreenText) {
    self.text = text
    wanted = Self.blankCells
    var layout = TextLayout(text, in: .rows)
    var row = 0
    while row < layout.lineCount {
      let line = layout.line(row)
      let start = row &* Self.rowLength &+ (Self.rowLength &- line.count) / 2
      var cell = 0
      while cell < line.count, start &+ cell < wanted.count {
        wanted[start &+ cell] = Self.character(of: layout.glyph(cell, of: line))
        cell &+= 1
      }
      row &+= 1
    }
  }

  /// Writes up to four instructions for the next characters that have changed; `false` if all are shown.
  private mutating func writeChanges(by backpack: Backpack, to writer: inout ByteWriter) -> Bool {
    var cell = 0
    while cell < Self.cellCount, shown[cell] == wanted[cell] { cell &+= 1 }
    guard cell < Self.cellCount else { return false }
    var rest = 4
    if cursor != cell {
      // Set DDRAM address: the second row begins at 40h. Figure 4.
      let column = UInt8(truncatingIfNeeded: cell & 0x0F)
      backpack.write(instruction: (cell < Self.rowLength ? 0x80 : 0xC0) | column, to: &writer)
      rest = 3
    }
    while rest > 0, cell < Self.cellCount, shown[cell] != wanted[cell] {
      backpack.write(character: wanted[cell], to: &writer)
      shown[cell] = wanted[cell]
      cell &+= 1
      rest &-= 1
      if cell == Self.rowLength { break }
    }
    // After the row the display goes on in a part of its memory that is not shown.
    cursor = cell == Self.rowLength ? Self.cellCount : cell
    return true
  }

  /// The code of a glyph in the ROM with code A00: table 4.
  private static func character(of glyph: UInt8) -> UInt8 {
    switch glyph {
    // There they are a yen sign, and arrows from 7Eh on.
    case UInt8(ascii: "\\"), UInt8(ascii: "~"), Font.box: 0xFF
    case Font.enDash: UInt8(ascii: "-")
    case Font.apostrophe: UInt8(ascii: "'")
    case Font.ellipsis: UInt8(ascii: ".")
    default: glyph
    }
  }
}

/// The backpack: the expander's eight outputs.
private struct Backpack {
  static var registerSelect: UInt8 { 0x01 }
  static var enable: UInt8 { 0x04 }
  static var backlight: UInt8 { 0x08 }

  /// The backlight's bit.
  let light: UInt8

  /// Writes an instruction.
  func write(instruction: UInt8, to writer: inout ByteWriter) {
    write(byte: instruction, with: light, to: &writer)
  }

  /// Writes a character at the cursor.
  func write(character: UInt8, to writer: inout ByteWriter) {
    write(byte: character, with: light | Self.registerSelect, to: &writer)
  }

  /// Writes the upper half of an instruction.
  func write(nibble: UInt8, to writer: inout ByteWriter) {
    writer.write(nibble | light)
    pulse(nibble | light, to: &writer)
  }

  /// Writes both halves of a byte, the upper first: figure 9. RS is set before E rises (tAS). From the lower half on
  /// 45 µs pass to the next E at 400 kHz, longer than each instruction takes but one.
  @inline(never)
  private func write(byte: UInt8, with pins: UInt8, to writer: inout ByteWriter) {
    writer.write(byte & 0xF0 | pins)
    pulse(byte & 0xF0 | pins, to: &writer)
    pulse(byte &<< 4 | pins, to: &writer)
  }

  /// Writes a half byte with E high and then low, on which the display takes it.
  private func pulse(_ port: UInt8, to writer: inout ByteWriter) {
    writer.write(port | Self.enable)
    writer.write(port)
  }
}
