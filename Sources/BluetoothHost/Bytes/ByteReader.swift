/// Reads a packet, little-endian, with bounds checks. All bytes from a peer, a controller or a file
/// are read here. A read past the end returns `nil` and does not advance. Each read checks once,
/// and loads unchecked: `position` is never past the end.
public struct ByteReader: ~Escapable {
  @usableFromInline var bytes: Span<UInt8>
  @usableFromInline var position = 0

  /// Creates a reader of `bytes`, which outlive it.
  @_lifetime(copy bytes) @inlinable public init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// The number of unread bytes.
  @inlinable public var count: Int { bytes.count &- position }

  /// Whether every byte has been read. If `false` after decoding, the packet is too long.
  @inlinable public var isEmpty: Bool { position == bytes.count }

  /// Reads one byte.
  @inlinable public mutating func readUInt8() -> UInt8? {
    guard position < bytes.count else { return nil }
    let value = unsafe bytes[unchecked: position]
    position &+= 1
    return value
  }

  /// Reads one byte as two's complement, such as an RSSI in dBm.
  @inlinable public mutating func readInt8() -> Int8? {
    guard let byte = readUInt8() else { return nil }
    return Int8(bitPattern: byte)
  }

  /// Reads two bytes, low byte first.
  @inlinable public mutating func readUInt16() -> UInt16? {
    guard count >= 2 else { return nil }
    defer { position &+= 2 }
    return unsafe UInt16(
      littleEndian: bytes.bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: position, as: UInt16.self))
  }

  /// Reads three bytes, low byte first.
  mutating func readUInt24() -> UInt32? {
    guard count >= 3, let low = readUInt16(), let high = readUInt8() else { return nil }
    return UInt32(high) << 16 | UInt32(low)
  }

  /// Reads four bytes, low byte first.
  @inlinable public mutating func readUInt32() -> UInt32? {
    guard count >= 4 else { return nil }
    defer { position &+= 4 }
    return unsafe UInt32(
      littleEndian: bytes.bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: position, as: UInt32.self))
  }

  /// Reads eight bytes, low byte first.
  @inlinable public mutating func readUInt64() -> UInt64? {
    guard count >= 8 else { return nil }
    defer { position &+= 8 }
    return unsafe UInt64(
      littleEndian: bytes.bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: position, as: UInt64.self))
  }

  /// Skips eight bytes at a time as long as they have none of the bits of `mask`.
  @inlinable mutating func skipWords(without mask: UInt64) {
    while count >= 8 {
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: position, as: UInt64.self)
      guard UInt64(littleEndian: word) & mask == 0 else { return }
      position &+= 8
    }
  }

  /// Reads the next `length` bytes without copying.
  @_lifetime(copy self) @inlinable public mutating func readBytes(_ length: Int) -> Span<UInt8>? {
    guard length >= 0, length <= count else { return nil }
    let slice = unsafe bytes.extracting(
      unchecked: Range(uncheckedBounds: (position, position &+ length)))
    position &+= length
    return slice
  }

  /// Reads all remaining bytes, which may be none.
  @_lifetime(copy self) @inlinable public mutating func readRemaining() -> Span<UInt8> {
    let slice = unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (position, bytes.count)))
    position = bytes.count
    return slice
  }
}
