import BluetoothHost
import Linux

/// Writes the values of a message: the counterpart of `DBusReader`. What does not fit is left out, and the
/// message is not sent.
package struct DBusWriter: ~Copyable, ~Escapable {
  var writer: ByteWriter

  /// Writes a message to `storage`, from its first byte.
  @_lifetime(copy storage) init(_ storage: consuming MutableSpan<UInt8>) {
    writer = ByteWriter(storage)
  }

  @inline(never)
  @_lifetime(self: copy self) mutating func align(to size: Int) {
    var count = (0 &- writer.count) & (size &- 1)
    while count > 0 {
      writer.write(UInt8(0))
      count &-= 1
    }
  }

  /// Writes `y`.
  @inline(never)
  @_lifetime(self: copy self) package mutating func write(_ byte: UInt8) { writer.write(byte) }

  /// Writes `q`.
  @inline(never)
  @_lifetime(self: copy self) package mutating func write(_ number: UInt16) {
    align(to: 2)
    writer.write(number)
  }

  /// Writes `u`, or the index of `h`.
  @inline(never)
  @_lifetime(self: copy self) package mutating func write(_ number: UInt32) {
    align(to: 4)
    writer.write(number)
  }

  /// Writes `b`.
  @inline(never)
  @_lifetime(self: copy self) package mutating func write(_ boolean: Bool) {
    write(UInt32(boolean ? 1 : 0))
  }

  /// Writes `s` or `o`.
  @inline(never)
  @_lifetime(self: copy self) package mutating func write(_ text: Span<UInt8>) {
    write(UInt32(truncatingIfNeeded: text.count))
    writer.write(text)
    writer.write(UInt8(0))
  }

  /// Writes `s` or `o`.
  @inline(never)
  @_lifetime(self: copy self) package mutating func write(_ text: StaticString) {
    write(ProgramText(text).span)
  }

  /// Writes `s` or `o`, whose text `body` writes.
  @inline(never)
  @_lifetime(self: copy self) package mutating func writeText(_ body: (inout ByteWriter) -> Void) {
    let mark = beginArray(alignedTo: 1)
    body(&writer)
    endArray(mark)
    writer.write(UInt8(0))
  }

  /// Writes `g`.
  @inline(never)
  @_lifetime(self: copy self) package mutating func write(signature: StaticString) {
    let text = ProgramText(signature).span
    writer.write(UInt8(truncatingIfNeeded: text.count))
    writer.write(text)
    writer.write(UInt8(0))
  }

  /// Writes `ay`.
  @inline(never)
  @_lifetime(self: copy self) package mutating func write(bytes: Span<UInt8>) {
    write(UInt32(truncatingIfNeeded: bytes.count))
    writer.write(bytes)
  }

  /// Begins an array; its elements follow, each aligned to `alignment`.
  @_lifetime(self: copy self)
  @inline(never)
  package mutating func beginArray(alignedTo alignment: Int) -> DBusArrayMark {
    write(UInt32(0))
    let length = writer.count &- 4
    align(to: alignment)
    return DBusArrayMark(length: length, start: writer.count)
  }

  /// Ends an array.
  @inline(never)
  @_lifetime(self: copy self) package mutating func endArray(_ mark: DBusArrayMark) {
    patch(UInt32(truncatingIfNeeded: writer.count &- mark.start), at: mark.length)
  }

  /// Begins a structure or an entry of a dictionary; its members follow.
  @inline(never)
  @_lifetime(self: copy self) package mutating func beginStructure() { align(to: 8) }

  /// Begins the entry of a property in `a{sv}`; its value of the type follows.
  @_lifetime(self: copy self)
  @inline(never)
  package mutating func beginProperty(_ name: StaticString, _ type: StaticString) {
    beginStructure()
    write(name)
    write(signature: type)
  }

  @inline(never)
  @_lifetime(self: copy self) mutating func patch(_ number: UInt32, at offset: Int) {
    writer.patch(UInt16(truncatingIfNeeded: number), at: offset)
    writer.patch(UInt16(truncatingIfNeeded: number &>> 16), at: offset &+ 2)
  }
}

/// Where an array began.
package struct DBusArrayMark {
  fileprivate let length: Int
  fileprivate let start: Int
  fileprivate init(length: Int, start: Int) {
    self.length = length
    self.start = start
  }
}
