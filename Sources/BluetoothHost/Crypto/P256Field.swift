/// A number of 32-bit words, least significant first: keys, random numbers and coordinates. PDUs
/// and HCI carry it least significant byte first (Core Specification, Vol 3, Part H, 3.3), as do
/// `init(_:)` and `write(to:)`; the functions of Vol 3, Part H, 2.2 take the bytes from the top. No
/// operation branches on the value or uses it as an index.
public struct WideNumber<let wordCount: Int>: Equatable, Sendable {
  /// The words, least significant first.
  public var words: InlineArray<wordCount, UInt32>

  /// Creates a number with these words, least significant first.
  public init(words: InlineArray<wordCount, UInt32>) { self.words = words }

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
  @inline(never) @discardableResult mutating func add(
    _ other: borrowing WideNumber, masked mask: UInt32 = .max
  ) -> UInt32 {
    var carry: UInt64 = 0
    for index in 0..<wordCount {
      carry = carry &+ UInt64(widening: words[index]) &+ UInt64(widening: other.words[index] & mask)
      words[index] = UInt32(truncatingIfNeeded: carry)
      carry = carry &>> 32
    }
    return UInt32(truncatingIfNeeded: carry)
  }

  /// Subtracts `other`. Returns all ones if `other` was larger, otherwise 0.
  @inline(never) @discardableResult mutating func subtract(_ other: borrowing WideNumber) -> UInt32
  {
    var borrow: UInt64 = 0
    for index in 0..<wordCount {
      // The upper half is 0, or all ones after a borrow: −1.
      borrow = borrow &+ UInt64(widening: words[index]) &- UInt64(widening: other.words[index])
      words[index] = UInt32(truncatingIfNeeded: borrow)
      borrow = UInt64(bitPattern: Int64(bitPattern: borrow) &>> 32)
    }
    return UInt32(truncatingIfNeeded: borrow)
  }

  /// Becomes `other` where `mask` has ones.
  @inline(__always) mutating func replace(with other: borrowing WideNumber, where mask: UInt32) {
    for index in 0..<wordCount { words[index] ^= (words[index] ^ other.words[index]) & mask }
  }
}

/// A key, random number, confirm value or check value of 16 bytes.
public typealias Number128 = WideNumber<4>

/// A coordinate, private key or shared key of 32 bytes.
public typealias Number256 = WideNumber<8>

/// A number modulo P-256's prime p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1, in Montgomery form (times 2²⁵⁶):
/// FIPS 186-4, D.1.2.3. No operation branches on a value or uses it as an index.
struct P256FieldElement: Sendable {
  /// The number times 2²⁵⁶, modulo p. Below p.
  private(set) var form: Number256

  private init(form: Number256) { self.form = form }

  /// Creates the element of `number`, which is below p.
  init(_ number: Number256) {
    form = number
    // 2⁵¹² modulo p
    self *= P256FieldElement(
      form: Number256(words: [
        0x0000_0003, 0x0000_0000, 0xFFFF_FFFF, 0xFFFF_FFFB, 0xFFFF_FFFE, 0xFFFF_FFFF, 0xFFFF_FFFD,
        0x0000_0004,
      ]))
  }

  /// The number below p.
  var number: Number256 {
    var unit = Number256.zero
    unit.words[0] = 1
    return (self * P256FieldElement(form: unit)).form
  }

  /// p.
  static var prime: Number256 {
    Number256(words: [
      0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, 0x0000_0000, 0x0000_0000, 0x0000_0000, 0x0000_0001,
      0xFFFF_FFFF,
    ])
  }

  static var zero: P256FieldElement { P256FieldElement(form: .zero) }

  static var one: P256FieldElement {
    P256FieldElement(
      form: Number256(words: [
        0x0000_0001, 0x0000_0000, 0x0000_0000, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFE,
        0x0000_0000,
      ]))
  }

  /// The coefficient b of the curve y² = x³ − 3x + b.
  static var b: P256FieldElement {
    P256FieldElement(
      form: Number256(words: [
        0x29C4_BDDF, 0xD89C_DF62, 0x7884_3090, 0xACF0_05CD, 0xF721_2ED6, 0xE5A2_20AB, 0x0487_4834,
        0xDC30_061D,
      ]))
  }

  var isZero: Bool { form == .zero }

  @inline(never) static func += (left: inout P256FieldElement, right: P256FieldElement) {
    let carry = left.form.add(right.form)
    left.reduce(carry: carry)
  }

  @inline(never) static func -= (left: inout P256FieldElement, right: P256FieldElement) {
    let borrow = left.form.subtract(right.form)
    left.form.add(prime, masked: borrow)
  }

  /// The Montgomery product left · right / 2²⁵⁶, by words of `right`. Each round adds m·p to clear
  /// the lowest word, and drops it. As p is −1 modulo 2³², m is that word, and m·p = m·2²⁵⁶ −
  /// m·2²²⁴ + m·2¹⁹² + m·2⁹⁶ − m.
  @inline(never) static func * (left: P256FieldElement, right: P256FieldElement) -> P256FieldElement
  {
    var product = P256FieldElement.zero
    var top: UInt32 = 0
    // Spans: indexing a parameter's array copies the array.
    let multiplicand = left.form.words.span
    let factors = right.form.words.span
    for index in 0..<8 {
      let factor = factors[index]
      var carry: UInt64 = 0
      var wordsLeft = 8
      while wordsLeft > 0 {
        let word = 8 &- wordsLeft
        wordsLeft &-= 1
        carry =
          carry &+ multiplicand[word].product(factor) &+ UInt64(widening: product.form.words[word])
        product.form.words[word] = UInt32(truncatingIfNeeded: carry)
        carry = carry &>> 32
      }
      carry = carry &+ UInt64(widening: top)

      let m = UInt64(widening: product.form.words[0])
      var rest: UInt64 = 0
      for word in 1..<8 {
        rest = rest &+ UInt64(widening: product.form.words[word])
        if word == 3 || word == 6 { rest = rest &+ m }
        if word == 7 { rest = rest &- m }
        product.form.words[word &- 1] = UInt32(truncatingIfNeeded: rest)
        // −1 after a borrow.
        rest = UInt64(bitPattern: Int64(bitPattern: rest) &>> 32)
      }
      carry = carry &+ rest &+ m
      product.form.words[7] = UInt32(truncatingIfNeeded: carry)
      top = UInt32(truncatingIfNeeded: carry &>> 32)
    }
    product.reduce(carry: top)
    return product
  }

  static func *= (left: inout P256FieldElement, right: P256FieldElement) { left = left * right }

  @inline(never) static func + (left: P256FieldElement, right: P256FieldElement) -> P256FieldElement
  {
    var sum = left
    sum += right
    return sum
  }

  @inline(never) static func - (left: P256FieldElement, right: P256FieldElement) -> P256FieldElement
  {
    var difference = left
    difference -= right
    return difference
  }

  /// Becomes `other` where `mask` has ones.
  mutating func replace(with other: borrowing P256FieldElement, where mask: UInt32) {
    form.replace(with: other.form, where: mask)
  }

  /// Subtracts p unless the number, with a carry above its words, is smaller.
  private mutating func reduce(carry: UInt32) {
    let borrow = form.subtract(Self.prime)
    form.add(Self.prime, masked: borrow &+ carry)
  }
}

extension UInt32 {
  /// The product, in a time that does not depend on the operands. A Cortex-M3 multiplies small
  /// numbers faster, and a Cortex-M0's library branches on a carry: so 32-bit processors multiply
  /// halves.
  @inline(__always) fileprivate func product(_ other: UInt32) -> UInt64 {
    #if arch(arm)
      let low = (self & 0xFFFF) &* (other & 0xFFFF)
      // At most (2¹⁶ − 1)² + 2¹⁶ − 1 = 2³² − 2¹⁶, as is the next.
      let middle = (self &>> 16) &* (other & 0xFFFF) &+ low &>> 16
      let upper = (self & 0xFFFF) &* (other &>> 16) &+ middle & 0xFFFF
      let high = (self &>> 16) &* (other &>> 16) &+ middle &>> 16 &+ upper &>> 16
      return UInt64(widening: high) &<< 32 | UInt64(widening: upper &<< 16 | low & 0xFFFF)
    #else
      return UInt64(widening: self) &* UInt64(widening: other)
    #endif
  }
}
