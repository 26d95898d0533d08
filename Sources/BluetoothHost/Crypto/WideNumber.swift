/// A number of several 32-bit words, least significant first: the keys, random numbers, confirm
/// values and coordinates of the Security Manager.
///
/// It defines their byte order. PDUs and HCI carry them least significant byte first (Core
/// Specification, Vol 3, Part H, 3.3), as do `init(_:)` and `write(to:)`. The functions of Vol 3,
/// Part H, 2.2 and the standards that they cite are defined on bytes, most significant first; code
/// that follows them takes the bytes from the top of each number.
///
/// No operation branches on the value, or uses it as an index, so the duration reveals nothing
/// about it.
public struct WideNumber<let wordCount: Int>: Equatable, Sendable {
  /// The words, least significant first.
  public var words: InlineArray<wordCount, UInt32>

  /// Creates a number with these words, least significant first.
  public init(words: InlineArray<wordCount, UInt32>) {
    self.words = words
  }

  /// Reads the bytes, least significant first; `nil`, without reading any, if some are missing.
  public init?(_ reader: inout ByteReader) {
    guard reader.count >= wordCount &* 4 else { return nil }
    words = InlineArray(repeating: 0)
    for index in 0..<wordCount {
      guard let word = reader.readUInt32() else { return nil }
      words[index] = word
    }
  }

  /// Zero.
  public static var zero: WideNumber { WideNumber(words: InlineArray(repeating: 0)) }

  /// Writes the bytes, least significant first.
  public func write(to writer: inout ByteWriter) {
    for index in 0..<wordCount { writer.write(words[index]) }
  }

  /// Whether the numbers are equal. The duration does not depend on the result.
  public static func == (left: WideNumber, right: WideNumber) -> Bool {
    var difference: UInt32 = 0
    for index in 0..<wordCount { difference |= left.words[index] ^ right.words[index] }
    return difference == 0
  }

  /// Adds `other` where `mask` has ones. Returns the carry, 0 or 1.
  @inline(never)
  @discardableResult
  mutating func add(_ other: borrowing WideNumber, masked mask: UInt32 = .max) -> UInt32 {
    var carry: UInt64 = 0
    for index in 0..<wordCount {
      carry =
        carry &+ UInt64(widening: words[index]) &+ UInt64(widening: other.words[index] & mask)
      words[index] = UInt32(truncatingIfNeeded: carry)
      carry = carry &>> 32
    }
    return UInt32(truncatingIfNeeded: carry)
  }

  /// Subtracts `other`. Returns all ones if `other` was larger, otherwise 0.
  @inline(never)
  @discardableResult
  mutating func subtract(_ other: borrowing WideNumber) -> UInt32 {
    var borrow: UInt64 = 0
    for index in 0..<wordCount {
      // The upper half is 0, or all ones after a borrow: −1.
      borrow =
        borrow &+ UInt64(widening: words[index]) &- UInt64(widening: other.words[index])
      words[index] = UInt32(truncatingIfNeeded: borrow)
      borrow = UInt64(bitPattern: Int64(bitPattern: borrow) &>> 32)
    }
    return UInt32(truncatingIfNeeded: borrow)
  }

  /// Becomes `other` where `mask` has ones.
  @inline(__always)
  mutating func replace(with other: borrowing WideNumber, where mask: UInt32) {
    for index in 0..<wordCount {
      words[index] ^= (words[index] ^ other.words[index]) & mask
    }
  }
}

/// A key, random number, confirm value or check value of 16 bytes.
public typealias Number128 = WideNumber<4>

/// A coordinate, private key or shared key of 32 bytes.
public typealias Number256 = WideNumber<8>
