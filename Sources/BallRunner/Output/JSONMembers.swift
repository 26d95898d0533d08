import BluetoothHost

/// The members of one JSON object on one line. RFC 8259.
extension ByteWriter {
  /// Begins the object of an event.
  @_lifetime(self: copy self) @inline(never) public mutating func beginJSON(_ event: StaticString) {
    write(text: "{\"event\":\"")
    write(text: event)
    write(text: "\"")
  }

  /// Ends the object.
  @_lifetime(self: copy self) @inline(never) public mutating func endJSON() {
    write(UInt8(ascii: "}"))
  }

  /// Adds a text that needs no escaping.
  @_lifetime(self: copy self) @inline(never) public mutating func add(
    _ name: StaticString, plain text: StaticString
  ) {
    beginText(name)
    write(text: text)
    endText()
  }

  /// Adds a text.
  @_lifetime(self: copy self) @inline(never) public mutating func add(
    _ name: StaticString, utf8: Span<UInt8>
  ) {
    beginText(name)
    write(escaped: utf8)
    endText()
  }

  /// Adds an address, as text.
  @_lifetime(self: copy self) @inline(never) public mutating func add(
    _ name: StaticString, _ address: DeviceAddress
  ) {
    beginText(name)
    write(address)
    endText()
  }

  /// Adds a whole number.
  @_lifetime(self: copy self) @inline(never) public mutating func add(
    _ name: StaticString, _ number: Int
  ) {
    addName(name)
    write(decimal: number)
  }

  /// Adds `true` or `false`.
  @_lifetime(self: copy self) @inline(never) public mutating func add(
    _ name: StaticString, _ truth: Bool
  ) {
    addName(name)
    write(text: truth ? "true" : "false")
  }

  /// Adds a name and an opening quotation mark; the text and the closing mark follow.
  @_lifetime(self: copy self) @inline(never) public mutating func beginText(_ name: StaticString) {
    addName(name)
    write(UInt8(ascii: "\""))
  }

  /// Ends a text that `beginText` began.
  @_lifetime(self: copy self) @inline(never) public mutating func endText() {
    write(UInt8(ascii: "\""))
  }

  /// Adds a name; its value follows.
  @_lifetime(self: copy self) @inline(never) public mutating func addName(_ name: StaticString) {
    write(text: ",\"")
    write(text: name)
    write(text: "\":")
  }
}
