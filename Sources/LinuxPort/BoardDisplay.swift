import BluetoothHost
import EightBall

/// The display of a board: one of those that there are drivers for.
package enum BoardDisplay: DisplayPanel {
  case ssd1306(SSD1306)
  case hd44780(HD44780)

  /// The driver of a display.
  package init(_ part: BusPart) {
    self =
      part.model == .hd44780
      ? .hd44780(HD44780(address: part.address)) : .ssd1306(SSD1306(address: part.address))
  }

  package var address: UInt8 {
    switch self {
    case .ssd1306(let panel): panel.address
    case .hd44780(let panel): panel.address
    }
  }

  package mutating func reset() {
    switch self {
    case .ssd1306(var panel):
      panel.reset()
      self = .ssd1306(panel)
    case .hd44780(var panel):
      panel.reset()
      self = .hd44780(panel)
    }
  }

  package mutating func writeNext(
    towards text: ScreenText, _ brightness: Brightness, to writer: inout ByteWriter
  ) -> UInt32? {
    switch self {
    case .ssd1306(var panel):
      defer { self = .ssd1306(panel) }
      return panel.writeNext(towards: text, brightness, to: &writer)
    case .hd44780(var panel):
      defer { self = .hd44780(panel) }
      return panel.writeNext(towards: text, brightness, to: &writer)
    }
  }
}
