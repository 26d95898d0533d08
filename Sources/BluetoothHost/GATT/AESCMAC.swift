/// The AES-CMAC message authentication code over bytes that arrive in pieces.
///
/// RFC 4493; Core Specification, Vol 3, Part H, 2.2.5.
struct AESCMAC {
  private let cipher: AES128
  private var chain = AES128.Block(repeating: 0)
  private var pending = AES128.Block(repeating: 0)
  private var pendingCount = 0

  init(key: AES128.Block) {
    cipher = AES128(key: key)
  }

  /// Adds `bytes` to the message.
  mutating func update(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      // A full block waits until it is known not to be the last, which is treated otherwise.
      if pendingCount == 16 { absorb() }
      pending[pendingCount] = bytes[index]
      pendingCount += 1
    }
  }

  /// The code of the message, most significant byte first. The message is over.
  mutating func finish() -> AES128.Block {
    var subkey = Self.double(cipher.encrypt(AES128.Block(repeating: 0)))
    if pendingCount < 16 {
      subkey = Self.double(subkey)
      pending[pendingCount] = 0x80
      for index in pendingCount + 1..<16 { pending[index] = 0 }
    }
    for index in 0..<16 { pending[index] ^= subkey[index] }
    absorb()
    return chain
  }

  private mutating func absorb() {
    for index in 0..<16 { chain[index] ^= pending[index] }
    chain = cipher.encrypt(chain)
    pendingCount = 0
  }

  /// Multiplication by x in the code's field.
  private static func double(_ block: AES128.Block) -> AES128.Block {
    var doubled = AES128.Block(repeating: 0)
    for index in 0..<16 {
      doubled[index] = block[index] << 1 | (index < 15 ? block[index + 1] >> 7 : 0)
    }
    if block[0] & 0x80 != 0 { doubled[15] ^= 0x87 }
    return doubled
  }
}
