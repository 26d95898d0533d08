/// Separates keys that are characters from other keys, which a terminal sends as sequences that
/// begin with Escape: the right arrow is ESC [ C, not the key C. ECMA-48, 5.4.
///
/// A sequence may span several reads.
struct KeyParser {
  private enum State {
    case text
    /// After Escape.
    case escape
    /// Within a sequence. `isBegin`: only ESC [ or ESC O has come.
    case sequence(isBegin: Bool)
  }

  private var state = State.text

  /// Takes the next byte. Returns the key's character, if the byte is one.
  mutating func key(_ byte: UInt8) -> Unicode.Scalar? {
    switch (state, byte) {
    case (_, 0x1B):
      state = .escape
    case (.text, _):
      return Unicode.Scalar(byte)
    case (.escape, UInt8(ascii: "[")), (.escape, UInt8(ascii: "O")):
      state = .sequence(isBegin: true)
    case (.escape, _):
      // A key with Alt.
      state = .text
    case (.sequence(isBegin: true), UInt8(ascii: "[")):
      // The function keys of Linux's own console: ESC [ [ A.
      state = .sequence(isBegin: false)
    case (.sequence, 0x40...0x7E):
      state = .text
    case (.sequence, _):
      state = .sequence(isBegin: false)
    }
    return nil
  }
}
