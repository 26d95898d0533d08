import BluetoothHost
import EightBall

extension QuestionRule.Refusal {
  /// Why it is not a question, to follow "Refused: ", without a full stop.
  var words: StaticString {
    switch self {
    case .statement: "not a question (it must end in “?”)"
    case .notUTF8: "not UTF-8"
    case .tooLong: "longer than 512 bytes"
    }
  }
}

extension PanelAction {
  /// What it is called, for programs.
  var word: StaticString {
    switch self {
    case .shake: "shake"
    case .clear: "clear"
    case .release: "release"
    }
  }

  /// What has happened, for people.
  var sentence: StaticString {
    switch self {
    case .shake: "Shaken."
    case .clear: "Cleared: every question and answer is forgotten."
    case .release: "Clear was held: everybody is let go."
    }
  }
}

extension HCIErrorCode {
  /// Writes how a connection ended, to follow "Disconnected", without a full stop.
  public func writeEnding(to writer: inout ByteWriter) {
    switch self {
    case .remoteUserTerminatedConnection: writer.write(text: "by the other side")
    case .remoteDevicePoweredOff:
      writer.write(text: "by the other side, which is switching off")
    case .connectionTerminatedByLocalHost: writer.write(text: "by this side")
    case .connectionTimeout:
      writer.write(text: "because the other side was no longer heard")
    case .hardwareFailure: writer.write(text: "because the radio failed")
    default:
      writer.write(text: "for HCI reason 0x")
      writer.write(hexadecimal: rawValue)
    }
  }
}

extension ByteWriter {
  /// Writes `text` with a full stop, unless it ends as a sentence does.
  @_lifetime(self: copy self)
  mutating func write(sentence text: Span<UInt8>) {
    write(printable: text)
    endSentence(text)
  }

  /// Writes what `write(sentence:)` writes, as it stands in the quotes of JSON.
  @_lifetime(self: copy self)
  mutating func write(escapedSentence text: Span<UInt8>) {
    write(escaped: text)
    endSentence(text)
  }

  @_lifetime(self: copy self)
  private mutating func endSentence(_ text: Span<UInt8>) {
    guard !text.isEmpty else { return }
    let last = text[text.count &- 1]
    if last != UInt8(ascii: "."), last != UInt8(ascii: "?") { write(UInt8(ascii: ".")) }
  }
}
