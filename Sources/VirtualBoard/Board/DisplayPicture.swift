import BallRunner
import EightBall

/// What a virtual display shows: a copy of its glass.
public struct DisplayPicture: Equatable, Sendable {
  /// What is on the glass.
  public enum Content: Equatable, Sendable {
    /// 128×64 pixels, as `VirtualSSD1306.pages`.
    case pixels([UInt8])
    /// Two lines of 16 characters.
    case characters([String])
  }

  /// Its brightness. A display that is off shows no pixels and blanks.
  public var brightness: Brightness
  /// What is on the glass.
  public var content: Content

  /// A picture.
  public init(_ content: Content, _ brightness: Brightness) {
    self.content = content
    self.brightness = brightness
  }

  /// What a display of pixels shows. It is dim below a quarter of the highest contrast.
  public init(_ display: VirtualSSD1306) {
    brightness = !display.isOn ? .off : display.contrast < 0x40 ? .dim : .lit
    content = .pixels(display.pages)
  }

  /// What a display of characters shows. It is dim without its backlight.
  public init(_ expander: VirtualPCF8574) {
    brightness = !expander.display.isOn ? .off : expander.isBacklit ? .lit : .dim
    content = .characters(expander.display.lines)
  }

  /// The picture as lines of characters: 128×64 pixels are 16 lines of 64 Braille patterns.
  public var lines: [String] {
    switch content {
    case .pixels(let pages): Braille.lines(ofPages: pages, width: VirtualSSD1306.width)
    case .characters(let lines): lines
    }
  }

  /// The picture as a line of JSON, the event `screen` of docs/events.md.
  public var event: String {
    let name =
      switch brightness {
      case .lit: "lit"
      case .dim: "dim"
      case .off: "off"
      }
    let start = #"{"event":"screen","brightness":"\#(name)","#
    switch content {
    case .pixels(let bytes):
      let digits = Array("0123456789abcdef")
      let text = String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] })
      return start + #""pixels":"\#(text)"}"#
    case .characters(let lines):
      let texts = lines.map { "\"\(String(escaped: $0))\"" }
      return start + #""lines":[\#(texts.joined(separator: ","))]}"#
    }
  }
}
