import BluetoothHost

extension ByteWriter {
  /// Writes why a program cannot run, for people or in JSON, without the line end.
  ///
  /// - Parameters:
  ///   - reason: One or two sentences in UTF-8. The last full stop may be left out.
  ///   - kind: The kind of the reason, for programs.
  ///   - isJSON: Whether to write an object of JSON.
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
