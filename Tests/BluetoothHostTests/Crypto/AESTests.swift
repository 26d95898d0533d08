import BluetoothHost
import Expectations

@Suite("AES-128 and AES-CMAC")
struct AESTests {
  @Test("Encrypts the samples of FIPS 197, appendices C.1 and B")
  func fips197() {
    let sample = AES128(key: Number128(0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F))
    expect(
      sample.encrypt(Number128(0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF)),
      is: Number128(0x69C4_E0D8_6A7B_0430, 0xD8CD_B780_70B4_C55A))
    let example = AES128(key: Number128(0x2B7E_1516_28AE_D2A6, 0xABF7_1588_09CF_4F3C))
    expect(
      example.encrypt(Number128(0x3243_F6A8_885A_308D, 0x3131_98A2_E037_0734)),
      is: Number128(0x3925_841D_02DC_09FB, 0xDC11_8597_196A_0B32))
  }

  /// 2,000 chained encryptions use every input of the S-box many times.
  @Test("Each encryption agrees with one that uses the S-box of FIPS 197 as a table")
  func table() {
    var key = Number128(0x2B7E_1516_28AE_D2A6, 0xABF7_1588_09CF_4F3C)
    var block = Number128(0x3243_F6A8_885A_308D, 0x3131_98A2_E037_0734)
    let reference = TableAES()
    for count in 0..<2_000 {
      let expected = reference.encrypt(block, key: key)
      let encrypted = AES128(key: key).encrypt(block)
      expect(encrypted, is: expected, "encryption \(count)")
      key = block
      block = encrypted
    }
  }

  /// RFC 4493, section 4: the first bytes of one message.
  @Test(
    "CMAC has the values of RFC 4493, section 4, in pieces of every length",
    arguments: [
      (0, 0xBB1D_6929_E959_3728, 0x7FA3_7D12_9B75_6746),
      (16, 0x070A_16B4_6B4D_4144, 0xF79B_DD9D_D04A_287C),
      (40, 0xDFA6_6747_DE9A_E630, 0x30CA_3261_1497_C827),
      (64, 0x51F0_BEBF_7E3B_9D92, 0xFC49_7417_7936_3CFE),
    ] as [(Int, UInt64, UInt64)])
  func rfc4493(length: Int, high: UInt64, low: UInt64) {
    let words: [UInt64] = [
      0x6BC1_BEE2_2E40_9F96, 0xE93D_7E11_7393_172A, 0xAE2D_8A57_1E03_AC9C, 0x9EB7_6FAC_45AF_8E51,
      0x30C8_1C46_A35C_E411, 0xE5FB_C119_1A0A_52EF, 0xF69F_2445_DF4F_9B17, 0xAD2B_417B_E66C_3710,
    ]
    let message = words.flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
    }
    for piece in 1...17 {
      var code = AESCMAC(key: Number128(0x2B7E_1516_28AE_D2A6, 0xABF7_1588_09CF_4F3C))
      for start in stride(from: 0, to: length, by: piece) {
        let part = Array(message[start..<min(start + piece, length)])
        code.update(part.span)
      }
      expect(code.finish(), is: Number128(high, low), "in pieces of \(piece)")
    }
  }

  @Test("CMAC is the same over a number, its words and its bytes")
  func numbers() {
    let number = Number128(0x0102_0304_0506_0708, 0x090A_0B0C_0D0E_0F10)
    var whole = AESCMAC(key: .zero)
    whole.update(number)
    let expected = whole.finish()
    var words = AESCMAC(key: .zero)
    words.update(0x0102_0304, byteCount: 4)
    words.update(0x0506, byteCount: 2)
    words.update(0xFFFF_FF07, byteCount: 1)
    for byte in UInt8(8)...16 { words.update(byte) }
    expect(words.finish(), is: expected)
  }
}

/// AES-128 as in FIPS 197, byte by byte, with a table for the S-box.
private struct TableAES {
  private let box: [UInt8]

  init() {
    // The powers of 3 are all elements of the field; those of 0xF6, its inverse, are their inverses
    // (5.1.1).
    var box = [UInt8](repeating: 0x63, count: 256)
    var power: UInt8 = 1
    var inverse: UInt8 = 1
    for _ in 0..<255 {
      var sum = inverse ^ 0x63
      for count in 1...4 { sum ^= inverse << count | inverse >> (8 - count) }
      box[Int(power)] = sum
      power ^= Self.double(power)
      // 0xF6 = 2⁷ + 2⁶ + 2⁵ + 2⁴ + 2² + 2
      var product: UInt8 = 0
      for bit in (0..<8).reversed() {
        product = Self.double(product) ^ (0xF6 >> bit & 1 != 0 ? inverse : 0)
      }
      inverse = product
    }
    self.box = box
  }

  func encrypt(_ block: Number128, key: Number128) -> Number128 {
    var roundKey = bytes(key)
    var state = zip(bytes(block), roundKey).map { $0 ^ $1 }
    var constant: UInt8 = 1
    for round in 1...10 {
      for index in 0..<16 {
        roundKey[index] ^=
          index < 4 ? box[Int(roundKey[12 + (index + 1) % 4])] : roundKey[index - 4]
        if index == 0 { roundKey[0] ^= constant }
      }
      constant = Self.double(constant)
      let shifted = (0..<16).map { box[Int(state[($0 + 4 * ($0 % 4)) % 16])] }
      for index in 0..<16 {
        let column = index / 4 * 4
        let a = shifted[index]
        let b = shifted[column + (index + 1) % 4]
        let c = shifted[column + (index + 2) % 4]
        let d = shifted[column + (index + 3) % 4]
        state[index] = round < 10 ? Self.double(a) ^ Self.double(b) ^ b ^ c ^ d : a
        state[index] ^= roundKey[index]
      }
    }
    var number = Number128.zero
    for index in 0..<16 {
      number.words[3 - index / 4] |= UInt32(state[index]) << (24 - index % 4 * 8)
    }
    return number
  }

  private func bytes(_ number: Number128) -> [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: number.words[3 - $0 / 4] >> (24 - $0 % 4 * 8)) }
  }

  private static func double(_ byte: UInt8) -> UInt8 { byte << 1 ^ (byte & 0x80 == 0 ? 0 : 0x1B) }
}
