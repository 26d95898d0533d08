/// The AES-CMAC message authentication code over a message that arrives in pieces.
///
/// RFC 4493; Core Specification, Vol 3, Part H, 2.2.5. The message decides no branch and no address,
/// nor does the key; the length of the message does.
public struct AESCMAC: Sendable {
  private let cipher: AES128
  /// The blocks encrypted so far, with the bytes of the next one added.
  private var chain = Number128.zero
  /// How many bytes the next block still takes.
  private var space = 16

  /// The code with `key`, of a message still without bytes.
  public init(key: Number128) {
    cipher = AES128(key: key)
  }

  /// Adds one byte to the message.
  @inline(never)
  public mutating func update(_ byte: UInt8) {
    // A full block waits until it is known not to be the last, which is treated otherwise.
    if space == 0 {
      chain = cipher.encrypt(chain)
      space = 16
    }
    space &-= 1
    let shift = UInt32(truncatingIfNeeded: space & 3) &* 8
    chain.words[(space &>> 2) & 3] ^= UInt32(byte) &<< shift
  }

  /// Adds `bytes` to the message, in their order.
  public mutating func update(_ bytes: Span<UInt8>) {
    for index in bytes.indices { update(bytes[index]) }
  }

  /// Adds the bytes of `number` to the message, the most significant first.
  public mutating func update<let wordCount: Int>(_ number: WideNumber<wordCount>) {
    for index in 0..<wordCount { update(number.words[wordCount &- 1 &- index], byteCount: 4) }
  }

  /// Adds the `byteCount` low bytes of `word` to the message, the most significant first.
  @inline(never)
  public mutating func update(_ word: UInt32, byteCount: Int) {
    for index in 0..<byteCount {
      let shift = UInt32(truncatingIfNeeded: byteCount &- 1 &- index) &* 8
      update(UInt8(truncatingIfNeeded: word &>> shift))
    }
  }

  /// The code of the message. The message is over.
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
  @inline(never)
  private static func double(_ number: inout Number128) {
    var carry = 0x87 & (0 &- number.words[3] &>> 31)
    for index in 0..<4 {
      let word = number.words[index]
      number.words[index] = word &<< 1 ^ carry
      carry = word &>> 31
    }
  }
}
