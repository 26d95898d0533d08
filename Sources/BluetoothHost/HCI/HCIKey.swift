/// A key of 128 bits, or another block of that length, as commands carry it: the least significant byte
/// first.
///
/// Core Specification, Vol 4, Part E, 5.2. The functions of the Security Manager, and `AES128`, have the
/// most significant byte first: `reversed`.
public struct HCIKey: Equatable, Sendable {
  private var low: UInt64
  private var high: UInt64

  /// A key of these bytes, the least significant first.
  public init(_ bytes: InlineArray<16, UInt8>) {
    low = 0
    high = 0
    for index in 0..<8 {
      low |= UInt64(widening: UInt32(bytes[index])) &<< UInt64(widening: UInt32(8 * index))
      high |= UInt64(widening: UInt32(bytes[index + 8])) &<< UInt64(widening: UInt32(8 * index))
    }
  }

  /// A key of these bytes, the most significant first.
  public init(reversed bytes: InlineArray<16, UInt8>) {
    self.init(InlineArray<16, UInt8> { bytes[15 - $0] })
  }

  /// Reads 16 bytes.
  public init?(_ reader: inout ByteReader) {
    guard reader.count >= 16, let low = reader.readUInt64(), let high = reader.readUInt64() else {
      return nil
    }
    self.low = low
    self.high = high
  }

  /// Writes 16 bytes.
  public func write(to writer: inout ByteWriter) {
    writer.write(low)
    writer.write(high)
  }

  /// All zeros, which in the resolving list means that there is no key.
  public var isZero: Bool { low | high == 0 }

  /// The bytes, the most significant first.
  public var reversed: InlineArray<16, UInt8> {
    InlineArray<16, UInt8> { index in
      let word = index < 8 ? high : low
      return UInt8(truncatingIfNeeded: word &>> UInt64(widening: UInt32(56 - 8 * (index % 8))))
    }
  }
}
