import BluetoothHost

/// A display of 128×64 pixels with the controller SSD1306 of Solomon Systech. Data sheet, rev. 1.1.
///
/// It draws the text in the outline of the window's triangle. Only columns that change are sent, without a copy of the
/// display's memory: each is computed for the last screen and for the new one. A screen that changes while it is drawn
/// is drawn to its end first, which takes the bus less than 30 ms at 400 kHz.
///
/// Only the page addressing mode is used, whose commands are also those of the SSD1303, the SSD0303 and the SH1106.
public struct SSD1306: DisplayPanel {
  /// The usual address: pin D/C# is low. 8.1.5.
  public static var usualAddress: UInt8 { 0x3C }

  /// Its address on the bus.
  public let address: UInt8
  private let firstColumn: UInt8
  private let firstPage: Int

  /// The next pair of `settings`.
  private var setting = 0
  /// What was drawn before, and what is being drawn or was drawn last.
  private var oldLayout = TextLayout()
  private var layout = TextLayout()
  /// Whether something was drawn, so that the display's memory is known.
  private var isDrawn = false
  /// The brightness that was set last; `nil` if it is not known.
  private var brightness: Brightness?
  /// Whether every column is sent, since the display's memory is not known.
  private var drawsAll = true
  /// The page that is being drawn; `pageCount` at the end.
  private var page = pageCount
  /// The next column of it.
  private var column = 0
  /// Whether the display's own column is `column`, as after a transfer.
  private var isInPlace = false

  /// The longest transfer has a position, a control byte and 26 columns, 33 bytes: as many as an SMBus controller sends.
  private static var longestRun: Int { 26 }
  /// So many unchanged columns in succession are longer than a new position.
  private static var longestGap: Int { 8 }
  private static var pageCount: Int { 8 }

  /// A display whose settings and content are unknown.
  ///
  /// - Parameters:
  ///   - address: 0x3C or 0x3D.
  ///   - firstColumn: The column of the memory at the left edge of the glass: 2 for an SH1106.
  ///   - firstPage: The page of the picture, 8 rows, at the top of the glass, 0 to 7: 1 for a glass of 32 rows, 2 for
  ///     one of 16, on which most answers then are.
  public init(address: UInt8 = usualAddress, firstColumn: UInt8 = 0, firstPage: Int = 0) {
    self.address = address
    self.firstColumn = firstColumn
    self.firstPage = firstPage
  }

  /// Forgets what the display shows.
  public mutating func reset() {
    setting = 0
    isDrawn = false
    brightness = nil
    page = Self.pageCount
  }

  /// Writes a setting, some columns, or the brightness, whichever is next.
  @inline(never)
  public mutating func writeNext(
    towards text: ScreenText, _ brightness: Brightness, to writer: inout ByteWriter
  ) -> UInt32? {
    if setting < Self.settings.count {
      // Each in a transfer of its own, since QEMU's SSD0303 loses the command after one of two bytes.
      Self.write(command: Self.settings[setting], to: &writer)
      Self.write(command: Self.settings[setting &+ 1], to: &writer)
      setting &+= 2
    } else if page < Self.pageCount {
      writeChanges(to: &writer)
    } else if brightness != .off, !isDrawn || text != layout.text {
      begin(text)
    } else if brightness != self.brightness {
      Self.write(brightness, to: &writer)
      self.brightness = brightness
    } else {
      return nil
    }
    return 0
  }

  // MARK: Commands

  /// Commands of two bytes, or of one and a NOP (E3h). Table 9-1.
  ///
  /// They do not switch the display: a display that is on stays on, and a new one stays off until it is drawn.
  private static let settings: InlineArray<26, UInt8> = [
    0xA1, 0xE3,  // Segment re-map: column 0 is SEG127, the left edge of the usual glass. 10.1.8
    0xC8, 0xE3,  // COM output scan direction: from COM63, its top. 10.1.14
    0x40, 0xE3,  // Display start line: 0. 10.1.6
    0xA4, 0xE3,  // Entire display on: no, it follows the memory. 10.1.9
    0xA6, 0xE3,  // Normal display: a one is lit. 10.1.10
    0x20, 0x02,  // Memory addressing mode: page. 10.1.3
    0xA8, 0x3F,  // Multiplex ratio: 64. 10.1.11
    0xD3, 0x00,  // Display offset: 0. 10.1.15
    0xD5, 0x80,  // Clock divide ratio 1, the usual frequency. 10.1.16
    0xD9, 0xF1,  // Pre-charge period: 15 and 1 clocks, with the charge pump. 10.1.17
    0xDA, 0x12,  // COM pins: alternative, as the glass of 64 rows has them. 10.1.18
    0xDB, 0x20,  // VCOMH deselect level: 0.77 VCC. 10.1.19
    0x8D, 0x14,  // Charge pump: on. Application note, charge pump setting
  ]

  /// The byte before others. 8.1.5.2.
  private enum Control {
    /// One byte of a command follows, then another control byte.
    static var command: UInt8 { 0x80 }
    /// Only bytes for the memory follow.
    static var data: UInt8 { 0x40 }
  }

  /// Writes one byte of a command.
  private static func write(command: UInt8, to writer: inout ByteWriter) {
    writer.write(Control.command)
    writer.write(command)
  }

  private static func write(_ brightness: Brightness, to writer: inout ByteWriter) {
    // Display on or off (10.1.12), and contrast control (10.1.7).
    guard brightness != .off else { return write(command: 0xAE, to: &writer) }
    write(command: 0xAF, to: &writer)
    write(command: 0x81, to: &writer)
    write(command: brightness == .lit ? 0xCF : 0x01, to: &writer)
  }

  // MARK: Drawing

  private mutating func begin(_ text: ScreenText) {
    drawsAll = !isDrawn
    isDrawn = true
    oldLayout = layout
    layout = TextLayout(text, in: .triangle)
    page = 0
    column = 0
    isInPlace = false
  }

  private mutating func pixels(inColumn column: Int) -> UInt8 {
    Triangle.pixels(inColumn: column, ofPage: page, with: &layout)
  }

  /// Whether a column of the page differs from what the display shows.
  private mutating func hasChanged(_ column: Int, to pixels: UInt8) -> Bool {
    drawsAll || Triangle.pixels(inColumn: column, ofPage: page, with: &oldLayout) != pixels
  }

  /// Writes the next columns of the page that have changed, or moves on to the next page without one.
  private mutating func writeChanges(to writer: inout ByteWriter) {
    var start = column
    while start < Triangle.screenWidth, !hasChanged(start, to: pixels(inColumn: start)) {
      start &+= 1
    }
    guard start < Triangle.screenWidth else {
      page &+= 1
      column = 0
      isInPlace = false
      return
    }
    writeStart(of: start, to: &writer)
    var next = start
    var end = start
    while next < Triangle.screenWidth, next &- start < Self.longestRun,
      next &- end < Self.longestGap
    {
      let pixels = pixels(inColumn: next)
      writer.write(pixels)
      let isChanged = hasChanged(next, to: pixels)
      next &+= 1
      if isChanged { end = next }
    }
    writer.truncate(to: writer.count &- (next &- end))
    column = end
    isInPlace = true
  }

  /// Writes the position of a column, unless the display is there, and the control byte for data.
  private mutating func writeStart(of start: Int, to writer: inout ByteWriter) {
    if !isInPlace || start != column {
      let address = UInt8(truncatingIfNeeded: start) &+ firstColumn
      // Page start address (10.1.13), lower and higher column start address (10.1.1, 10.1.2).
      Self.write(command: 0xB0 | UInt8(truncatingIfNeeded: page &- firstPage) & 7, to: &writer)
      Self.write(command: address & 0x0F, to: &writer)
      Self.write(command: 0x10 | address &>> 4, to: &writer)
    }
    writer.write(Control.data)
  }
}
