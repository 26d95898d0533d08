/// The AES-CMAC message authentication code over a message that arrives in pieces.
///
/// RFC 4493; Core Specification, Vol 3, Part H, 2.2.5. Branches and addresses depend on the
/// message's length, but not on its content or the key.
public struct AESCMAC: Sendable {
  private let cipher: AES128
  /// The encryption of the blocks so far, combined with the bytes of the next one.
  private var chain = Number128.zero
  /// How many bytes the next block still takes.
  private var space = 16

  /// Creates the code with `key`, for a message without bytes so far.
  public init(key: Number128) {
    cipher = AES128(key: key)
  }

  /// Adds one byte to the message.
  @inline(never)
  public mutating func update(_ byte: UInt8) {
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
  @inline(never)
  public mutating func update(_ word: UInt32, byteCount: Int) {
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
