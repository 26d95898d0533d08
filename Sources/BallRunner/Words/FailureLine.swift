import BluetoothHost

extension ByteWriter {
  /// Writes the line of a program that cannot run, without its end: why, for people or in JSON.
  ///
  /// - Parameters:
  ///   - reason: One or two sentences in UTF-8. The last full stop may be left out.
  ///   - kind: What kind of reason it is, for programs.
  @_lifetime(self: copy self)
  public mutating func writeFailure(_ reason: Span<UInt8>, kind: StaticString, isJSON: Bool) {
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
