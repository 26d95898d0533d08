import BluetoothHost
import EightBall

extension QuestionError {
  /// Why the text is refused, to follow "Refused: ", without a full stop.
  public var words: StaticString {
    switch self {
    case .statement: "not a question (it must end in “?”)"
    case .notUTF8: "not UTF-8"
    case .tooLong: "longer than 512 bytes"
    }
  }
}

extension FrontPanelAction {
  /// The name of the action, for programs.
  var word: StaticString {
    switch self {
    case .shake: "shake"
    case .clear: "clear"
    case .release: "release"
    }
  }

  /// What happened, for people. A shake's sentence goes on.
  var sentence: StaticString {
    switch self {
    case .shake: "Shaken"
    case .clear: "Cleared: every question and answer is forgotten."
    case .release: "Clear was held: all disconnected."
    }
  }
}

extension HCIErrorCode {
  /// Writes how a connection ended, to follow "Disconnected", without a full stop.
  public func writeEnding(to writer: inout ByteWriter) {
    switch self {
    case .remoteUserTerminatedConnection: writer.write(text: "by the other side")
    case .remoteDevicePoweredOff: writer.write(text: "by the other side, which is switching off")
    case .connectionTerminatedByLocalHost: writer.write(text: "by this side")
    case .connectionTimeout: writer.write(text: "because no packets came from the other side")
    case .hardwareFailure: writer.write(text: "because the radio failed")
    default:
      writer.write(text: "for HCI reason 0x")
      writer.write(hexadecimal: rawValue)
    }
  }
}

extension ByteWriter {
  /// Writes `text` with a full stop, unless it ends as a sentence does.
  @_lifetime(self: copy self) mutating func write(sentence text: Span<UInt8>) {
    write(printable: text)
    endSentence(text)
  }

  /// Writes the text of `write(sentence:)`, escaped for JSON.
  @_lifetime(self: copy self) mutating func write(escapedSentence text: Span<UInt8>) {
    write(escaped: text)
    endSentence(text)
  }

  @_lifetime(self: copy self) private mutating func endSentence(_ text: Span<UInt8>) {
    guard !text.isEmpty else { return }
    let last = text[text.count &- 1]
    if last != UInt8(ascii: "."), last != UInt8(ascii: "?") { write(UInt8(ascii: ".")) }
  }
}

extension ByteWriter {
  /// Writes why a program cannot run, for people or in JSON, without the line end.
  ///
  /// - Parameters:
  ///   - reason: One or two sentences in UTF-8. The last full stop may be left out.
  ///   - kind: The kind of the reason, for programs.
  ///   - isJSON: Whether to write an object of JSON.
  @_lifetime(self: copy self) public mutating func writeErrorLine(
    _ reason: Span<UInt8>, kind: StaticString, isJSON: Bool
  ) {
    guard isJSON else {
      write(text: "Error: ")
      return write(sentence: reason)
    }
    beginJSON("failed")
    add("reason", plain: kind)
    beginText("detail")
    write(escapedSentence: reason)
    write(text: "\"}")
  }
}
