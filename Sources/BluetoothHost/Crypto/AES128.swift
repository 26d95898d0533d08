/// AES-128 encryption, the security function *e*: FIPS 197;
/// Core Specification, Vol 3, Part H, 2.2.1. The first byte of the standard is the number's most
/// significant. Branches and addresses do not depend on key or block. The S-box is computed, and
/// round keys are derived when needed: small and slow.
public struct AES128: Sendable {
  private let key: Number128

  /// Creates the cipher with `key`.
  public init(key: Number128) { self.key = key }

  /// Encrypts one block.
  public func encrypt(_ block: Number128) -> Number128 {
    // A word is a column with row 0 on top; column 0 is the last word.
    var roundKey = key.words
    var state = block.words
    for column in 0..<4 { state[column] ^= roundKey[column] }

    var roundConstant: UInt32 = 0x0100_0000
    var roundsLeft = 10
    while roundsLeft > 0 {
      roundsLeft &-= 1
      var keyColumn = Self.substitute(Self.rotate(roundKey[0], by: 8)) ^ roundConstant
      roundConstant = Self.double(roundConstant)

      var substituted = InlineArray<4, UInt32>(repeating: 0)
      var columns = 4
      while columns > 0 {
        columns &-= 1
        substituted[columns & 3] = Self.substitute(state[columns & 3])
      }

      columns = 4
      while columns > 0 {
        columns &-= 1
        keyColumn ^= roundKey[columns & 3]
        roundKey[columns & 3] = keyColumn
        // ShiftRows (5.1.2): row r of column c comes from column c + r, r words further down.
        var column = substituted[columns & 3] & 0xFF00_0000
        column |= substituted[(columns &+ 3) & 3] & 0x00FF_0000
        column |= substituted[(columns &+ 2) & 3] & 0x0000_FF00
        column |= substituted[(columns &+ 1) & 3] & 0x0000_00FF
        if roundsLeft > 0 { column = Self.mix(column) }
        state[columns & 3] = column ^ keyColumn
      }
    }
    return Number128(words: state)
  }

  /// MixColumns (5.1.3) of one column a, b, c, d: 2·(a + b) + b + (c + d) for a, and so on.
  private static func mix(_ column: UInt32) -> UInt32 {
    let below = rotate(column, by: 8)
    let sums = column ^ below
    return double(sums) ^ below ^ rotate(sums, by: 16)
  }

  /// SubBytes (5.1.1) of four bytes: the power 254 in the field, then an affine map.
  @inline(never) private static func substitute(_ bytes: UInt32) -> UInt32 {
    // Powers of powers of 2 are linear maps. The last one is that of 5.1.1.
    let power2 = map(bytes, 0x9AAB_6C1B_4010_0401)
    let power3 = multiply(power2, bytes)
    let power12 = map(power3, 0xC5B3_975E_AB1B_1001)
    let power15 = multiply(power12, power3)
    let power240 = map(power15, 0x6C1D_914D_E8E4_5E01)
    let power254 = multiply(multiply(power240, power12), power2)
    return map(power254, 0x8FC7_E3F1_F87C_3E1F) ^ 0x6363_6363
  }

  /// A linear map of each byte: the sum of its bits' images, that of bit 0 in the low byte.
  @inline(never) private static func map(_ bytes: UInt32, _ images: UInt64) -> UInt32 {
    var sum: UInt32 = 0
    var rest = bytes
    var restOfImages = images
    var bits = 8
    while bits > 0 {
      bits &-= 1
      let image = UInt32(truncatingIfNeeded: restOfImages &>> 56) &* 0x0101_0101
      sum ^= fill(rest) & image
      rest = rest &<< 1
      restOfImages = restOfImages &<< 8
    }
    return sum
  }

  /// The products of four pairs of bytes in the cipher's field, modulo x⁸ + x⁴ + x³ + x + 1 (4.2).
  @inline(never) private static func multiply(_ left: UInt32, _ right: UInt32) -> UInt32 {
    var product: UInt32 = 0
    var factor = right
    var bits = 8
    while bits > 0 {
      bits &-= 1
      product = double(product) ^ (left & fill(factor))
      factor = factor &<< 1
    }
    return product
  }

  /// Multiplies each of four bytes by x.
  private static func double(_ bytes: UInt32) -> UInt32 {
    (bytes & 0x7F7F_7F7F) &<< 1 ^ (fill(bytes) & 0x1B1B_1B1B)
  }

  /// Ones in each byte whose top bit is set.
  private static func fill(_ bytes: UInt32) -> UInt32 {
    let tops = bytes & 0x8080_8080
    return tops &<< 1 &- tops &>> 7
  }

  private static func rotate(_ word: UInt32, by count: UInt32) -> UInt32 {
    word &<< count | word &>> (32 &- count)
  }
}

/// AES-CMAC of a message that arrives in pieces: RFC 4493;
/// Core Specification, Vol 3, Part H, 2.2.5. Branches and addresses depend on its length alone.
public struct AESCMAC: Sendable {
  private let cipher: AES128
  /// The encryption of the blocks so far, combined with the bytes of the next one.
  private var chain = Number128.zero
  /// How many bytes the next block still takes.
  private var space = 16

  /// Creates the code with `key`, for a message without bytes so far.
  public init(key: Number128) { cipher = AES128(key: key) }

  /// Adds one byte to the message.
  @inline(never) public mutating func update(_ byte: UInt8) {
    // A full block waits for the next byte, since the last one is treated differently.
    if space == 0 {
      chain = cipher.encrypt(chain)
      space = 16
    }
    space &-= 1
    let shift = UInt32(truncatingIfNeeded: space & 3) &* 8
    chain.words[(space &>> 2) & 3] ^= UInt32(byte) &<< shift
  }

  /// Adds `bytes` to the message in their order.
  public mutating func update(_ bytes: Span<UInt8>) {
    for index in bytes.indices { update(bytes[index]) }
  }

  /// Adds the bytes of `number` to the message, most significant first.
  public mutating func update<let wordCount: Int>(_ number: WideNumber<wordCount>) {
    for index in 0..<wordCount { update(number.words[wordCount &- 1 &- index], byteCount: 4) }
  }

  /// Adds the `byteCount` low bytes of `word` to the message, most significant first.
  @inline(never) public mutating func update(_ word: UInt32, byteCount: Int) {
    for index in 0..<byteCount {
      let shift = UInt32(truncatingIfNeeded: byteCount &- 1 &- index) &* 8
      update(UInt8(truncatingIfNeeded: word &>> shift))
    }
  }

  /// Ends the message, and returns its code.
  public consuming func finish() -> Number128 {
    var subkey = cipher.encrypt(.zero)
    Self.double(&subkey)
    if space > 0 {
      Self.double(&subkey)
      update(0x80)
    }
    for index in 0..<4 { chain.words[index] ^= subkey.words[index] }
    return cipher.encrypt(chain)
  }

  /// Multiplication by x in the code's field, modulo x¹²⁸ + x⁷ + x² + x + 1.
  @inline(never) private static func double(_ number: inout Number128) {
    var carry = 0x87 & (0 &- number.words[3] &>> 31)
    for index in 0..<4 {
      let word = number.words[index]
      number.words[index] = word &<< 1 ^ carry
      carry = word &>> 31
    }
  }
}
