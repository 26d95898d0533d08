import BluetoothHost
import Linux

/// Reads the values of a message with bounds checks.
/// D-Bus Specification, "Marshaling (Wire Format)": each value is aligned to its size, counted from the
/// start of the message. A read past the end, or of a wrong form, is `nil`; the reader is of no use then.
package struct DBusReader: ~Escapable {
  /// How deep values may be nested: 32 arrays and 32 structures.
  static var deepest: Int { 64 }

  private var reader: ByteReader
  /// Where the last byte ends, from the start of the message's body.
  private let end: Int

  /// Reads the bytes of a body, which begin at a multiple of 8.
  @_lifetime(copy bytes) package init(_ bytes: Span<UInt8>) { self.init(bytes, at: 0) }

  @_lifetime(copy bytes) init(_ bytes: Span<UInt8>, at offset: Int) {
    reader = ByteReader(bytes)
    end = offset &+ bytes.count
  }

  /// Whether all has been read.
  package var isEmpty: Bool { reader.isEmpty }

  private var position: Int { end &- reader.count }

  @inline(never)
  @_lifetime(self: copy self) private mutating func align(to size: Int) -> Bool {
    reader.readBytes((0 &- position) & (size &- 1)) != nil
  }

  /// Reads `y`.
  @inline(never)
  @_lifetime(self: copy self) package mutating func readByte() -> UInt8? { reader.readUInt8() }

  /// Reads `q`.
  @inline(never)
  @_lifetime(self: copy self) package mutating func readUInt16() -> UInt16? {
    align(to: 2) ? reader.readUInt16() : nil
  }

  /// Reads `n`.
  @inline(never)
  @_lifetime(self: copy self) package mutating func readInt16() -> Int16? {
    guard let number = readUInt16() else { return nil }
    return Int16(bitPattern: number)
  }

  /// Reads `u`, or the index of `h` among the descriptors of the message.
  @inline(never)
  @_lifetime(self: copy self) package mutating func readUInt32() -> UInt32? {
    align(to: 4) ? reader.readUInt32() : nil
  }

  /// Reads `b`, which is 0 or 1.
  @inline(never)
  @_lifetime(self: copy self) package mutating func readBoolean() -> Bool? {
    guard let number = readUInt32(), number <= 1 else { return nil }
    return number == 1
  }

  /// Reads the UTF-8 of `s` or `o`.
  @inline(never)
  @_lifetime(self: copy self) @_lifetime(copy self) package mutating func readText() -> Span<UInt8>?
  {
    guard let count = readUInt32() else { return nil }
    return readText(count)
  }

  /// Reads `g`.
  @_lifetime(self: copy self) @_lifetime(copy self)
  @inline(never)
  package mutating func readSignature() -> Span<UInt8>? {
    guard let count = reader.readUInt8() else { return nil }
    return readText(UInt32(count))
  }

  @_lifetime(self: copy self) @_lifetime(copy self)
  @inline(never)
  private mutating func readText(_ count: UInt32) -> Span<UInt8>? {
    guard count < 0x7FFF_FFFF, let text = reader.readBytes(Int(count)), reader.readUInt8() == 0
    else {
      return nil
    }
    return text
  }

  /// Reads an array, as a reader of its elements, which end when it is empty.
  ///
  /// - Parameter alignment: That of an element: 1, 2, 4 or 8. 8 for structures and entries.
  @_lifetime(self: copy self) @_lifetime(copy self)
  @inline(never)
  package mutating func readArray(alignedTo alignment: Int) -> DBusReader? {
    guard let count = readUInt32(), count <= 0x400_0000, align(to: alignment) else { return nil }
    let start = position
    guard let elements = reader.readBytes(Int(count)) else { return nil }
    return DBusReader(elements, at: start)
  }

  /// Reads `ay`.
  @inline(never)
  @_lifetime(self: copy self) @_lifetime(copy self) package mutating func readBytes() -> Span<
    UInt8
  >? {
    guard let count = readUInt32(), count <= 0x400_0000 else { return nil }
    return reader.readBytes(Int(count))
  }

  /// Reads `as`, and returns whether it contains `text`; false if it is invalid.
  @inline(never)
  @_lifetime(self: copy self) package mutating func readTexts(containing text: StaticString) -> Bool
  {
    guard var texts = readArray(alignedTo: 4) else { return false }
    while let next = texts.readText() { if next.equals(text) { return true } }
    return false
  }

  /// Begins a structure or an entry of a dictionary; its members follow.
  @inline(never)
  @_lifetime(self: copy self) package mutating func enterStructure() -> Bool { align(to: 8) }

  /// Reads `v`.
  @_lifetime(self: copy self) @_lifetime(copy self)
  @inline(never)
  package mutating func readVariant() -> DBusVariant? {
    guard let signature = readSignature() else { return nil }
    let start = position
    let before = reader
    guard skip(one: signature, depth: 1) else { return nil }
    var value = before
    guard let bytes = value.readBytes(position &- start) else { return nil }
    return DBusVariant(signature: signature, value: DBusReader(bytes, at: start))
  }

  // MARK: Skipping

  /// Skips a value of exactly one complete type.
  @inline(never)
  @_lifetime(self: copy self) private mutating func skip(one signature: Span<UInt8>, depth: Int)
    -> Bool
  {
    var types = ByteReader(signature)
    return skip(&types, depth: depth) && types.isEmpty
  }

  /// Skips a value of the first type of `types`.
  @inline(never)
  @_lifetime(self: copy self) private mutating func skip(_ types: inout ByteReader, depth: Int)
    -> Bool
  {
    guard depth <= Self.deepest, let type = types.readUInt8() else { return false }
    switch type {
    case UInt8(ascii: "y"): return readByte() != nil
    case UInt8(ascii: "n"), UInt8(ascii: "q"): return readUInt16() != nil
    case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"):
      return readUInt32() != nil
    case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"):
      return align(to: 8) && reader.readUInt64() != nil
    case UInt8(ascii: "s"), UInt8(ascii: "o"): return readText() != nil
    case UInt8(ascii: "g"): return readSignature() != nil
    case UInt8(ascii: "v"):
      guard let signature = readSignature() else { return false }
      return skip(one: signature, depth: depth &+ 1)
    case UInt8(ascii: "a"):
      guard let alignment = Self.skipType(&types, depth: depth &+ 1) else { return false }
      return readArray(alignedTo: alignment) != nil
    case UInt8(ascii: "("): return align(to: 8) && skipMembers(&types, depth: depth)
    default: return false
    }
  }

  @_lifetime(self: copy self)
  @inline(never)
  private mutating func skipMembers(_ types: inout ByteReader, depth: Int) -> Bool {
    var isEmpty = true
    while true {
      var next = types
      guard let type = next.readUInt8() else { return false }
      if type == UInt8(ascii: ")") {
        types = next
        return !isEmpty
      }
      guard skip(&types, depth: depth &+ 1) else { return false }
      isEmpty = false
    }
  }

  /// Skips one complete type of a signature; returns the alignment of its values, or `nil` if it is not one.
  @inline(never)
  private static func skipType(_ types: inout ByteReader, depth: Int) -> Int? {
    guard depth <= deepest, let type = types.readUInt8() else { return nil }
    switch type {
    case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): return 1
    case UInt8(ascii: "n"), UInt8(ascii: "q"): return 2
    case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"),
      UInt8(ascii: "s"), UInt8(ascii: "o"):
      return 4
    case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"): return 8
    case UInt8(ascii: "a"): return skipType(&types, depth: depth &+ 1) == nil ? nil : 4
    case UInt8(ascii: "("): return skipTypes(&types, until: UInt8(ascii: ")"), depth: depth)
    case UInt8(ascii: "{"): return skipTypes(&types, until: UInt8(ascii: "}"), depth: depth)
    default: return nil
    }
  }

  @inline(never)
  private static func skipTypes(_ types: inout ByteReader, until end: UInt8, depth: Int) -> Int? {
    var isEmpty = true
    while true {
      var next = types
      guard let type = next.readUInt8() else { return nil }
      if type == end {
        types = next
        return isEmpty ? nil : 8
      }
      guard skipType(&types, depth: depth &+ 1) != nil else { return nil }
      isEmpty = false
    }
  }
}

/// A value with its type: `v`. Each property reads a value of that type, and is `nil` for another.
package struct DBusVariant: ~Escapable {
  /// The type of the value.
  package let signature: Span<UInt8>
  /// The value.
  package let value: DBusReader

  @_lifetime(copy value) init(signature: Span<UInt8>, value: DBusReader) {
    self.signature = unsafe _overrideLifetime(signature, copying: value)
    self.value = value
  }

  /// The value of `s` or `o`.
  package var text: Span<UInt8>? {
    @_lifetime(copy self) get {
      guard signature.equals("s") || signature.equals("o") else { return nil }
      var reader = value
      return reader.readText()
    }
  }

  /// The value of `ay`.
  package var bytes: Span<UInt8>? {
    @_lifetime(copy self) get {
      guard signature.equals("ay") else { return nil }
      var reader = value
      return reader.readBytes()
    }
  }

  /// The elements of an array of this type, such as `as`.
  @inline(never)
  @_lifetime(copy self) package func array(_ type: StaticString, alignedTo alignment: Int)
    -> DBusReader?
  {
    guard signature.equals(type) else { return nil }
    var reader = value
    return reader.readArray(alignedTo: alignment)
  }

  /// The value of `b`.
  package var boolean: Bool? {
    guard signature.equals("b") else { return nil }
    var reader = value
    return reader.readBoolean()
  }

  /// The value of `q`.
  package var uint16: UInt16? {
    guard signature.equals("q") else { return nil }
    var reader = value
    return reader.readUInt16()
  }

  /// The value of `n`.
  package var int16: Int16? {
    guard signature.equals("n") else { return nil }
    var reader = value
    return reader.readInt16()
  }

  /// The value of `u`.
  package var uint32: UInt32? {
    guard signature.equals("u") else { return nil }
    var reader = value
    return reader.readUInt32()
  }
}
