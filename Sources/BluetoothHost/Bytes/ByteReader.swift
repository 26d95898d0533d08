/// Reads a packet from its first byte to its last, little-endian, within its bounds.
///
/// Every byte from a peer, a controller or a file passes through here: no other code computes
/// offsets into a packet. A read past the end gives `nil` and moves nothing, so a short packet is
/// a value for the caller to answer, never a trap.
public struct ByteReader: ~Escapable {
  private var bytes: Span<UInt8>
  private var position = 0

  /// Reads `bytes`, which outlive the reader.
  @_lifetime(copy bytes)
  public init(_ bytes: Span<UInt8>) {
    self.bytes = bytes
  }

  /// The number of bytes not yet read.
  public var count: Int { bytes.count - position }

  /// Whether every byte has been read. A decoder that ends with this `false` was sent too much.
  public var isEmpty: Bool { position == bytes.count }

  /// Reads one byte.
  public mutating func readUInt8() -> UInt8? {
    guard position < bytes.count else { return nil }
    let value = bytes[position]
    position += 1
    return value
  }

  /// Reads one byte as two's complement, as an RSSI in dBm is sent.
  public mutating func readInt8() -> Int8? {
    guard let byte = readUInt8() else { return nil }
    return Int8(bitPattern: byte)
  }

  /// Reads two bytes, the low one first.
  public mutating func readUInt16() -> UInt16? {
    guard count >= 2 else { return nil }
    let value = UInt16(bytes[position]) | UInt16(bytes[position + 1]) << 8
    position += 2
    return value
  }

  /// Reads four bytes, the low one first.
  public mutating func readUInt32() -> UInt32? {
    guard count >= 4, let low = readUInt16(), let high = readUInt16() else { return nil }
    return UInt32(low) | UInt32(high) << 16
  }

  /// Reads eight bytes, the low one first.
  public mutating func readUInt64() -> UInt64? {
    guard count >= 8, let low = readUInt32(), let high = readUInt32() else { return nil }
    return UInt64(widening: low) | UInt64(widening: high) &<< 32
  }

  /// Reads the next `length` bytes in place, without copying.
  @_lifetime(copy self)
  public mutating func readBytes(_ length: Int) -> Span<UInt8>? {
    guard length >= 0, length <= count else { return nil }
    let slice = bytes.extracting(position..<position + length)
    position += length
    return slice
  }

  /// Reads all that is left, which may be nothing.
  @_lifetime(copy self)
  public mutating func readRemaining() -> Span<UInt8> {
    let slice = bytes.extracting(position..<bytes.count)
    position = bytes.count
    return slice
  }
}
