/// The AES-128 block cipher, encryption only: what AES-CMAC needs.
///
/// FIPS 197. Used for the Database Hash, once, at start-up, and by virtual controllers: it is small and
/// not hardened against timing.
public struct AES128 {
  /// 16 bytes, the most significant first, as FIPS 197 writes them.
  public typealias Block = InlineArray<16, UInt8>

  private var roundKeys = InlineArray<176, UInt8>(repeating: 0)
  private let substitution: InlineArray<256, UInt8>

  /// The cipher with `key`.
  public init(key: Block) {
    substitution = Self.makeSubstitution()
    for index in 0..<16 { roundKeys[index] = key[index] }
    var roundConstant: UInt8 = 1
    for word in 4..<44 {
      let at = word * 4
      var next: InlineArray<4, UInt8> = [
        roundKeys[at - 4], roundKeys[at - 3], roundKeys[at - 2], roundKeys[at - 1],
      ]
      if word % 4 == 0 {
        next = [
          substitution[Int(next[1])] ^ roundConstant, substitution[Int(next[2])],
          substitution[Int(next[3])], substitution[Int(next[0])],
        ]
        roundConstant = Self.double(roundConstant)
      }
      for byte in 0..<4 { roundKeys[at + byte] = roundKeys[at + byte - 16] ^ next[byte] }
    }
  }

  /// One block, encrypted.
  public func encrypt(_ block: Block) -> Block {
    var state = block
    addRoundKey(0, to: &state)
    for round in 1...10 {
      var shifted = Block(repeating: 0)
      for index in 0..<16 {
        // ShiftRows moves row r of column c to column c − r.
        shifted[index] = substitution[Int(state[(index + 4 * (index % 4)) % 16])]
      }
      state = round < 10 ? Self.mixColumns(shifted) : shifted
      addRoundKey(round, to: &state)
    }
    return state
  }

  private func addRoundKey(_ round: Int, to state: inout Block) {
    for index in 0..<16 { state[index] ^= roundKeys[round * 16 + index] }
  }

  private static func mixColumns(_ state: Block) -> Block {
    var mixed = Block(repeating: 0)
    for index in 0..<16 {
      let column = index / 4 * 4
      let a = state[index]
      let b = state[column + (index + 1) % 4]
      let c = state[column + (index + 2) % 4]
      let d = state[column + (index + 3) % 4]
      mixed[index] = double(a) ^ double(b) ^ b ^ c ^ d
    }
    return mixed
  }

  /// Multiplication by x in the cipher's field.
  private static func double(_ byte: UInt8) -> UInt8 {
    byte << 1 ^ (byte & 0x80 == 0 ? 0 : 0x1B)
  }

  /// The S-box, worked out rather than listed: 3 generates the field, and its inverse 0xF6 runs
  /// through the multiplicative inverses in step (FIPS 197, 5.1.1).
  private static func makeSubstitution() -> InlineArray<256, UInt8> {
    var box = InlineArray<256, UInt8>(repeating: 0)
    var power: UInt8 = 1
    var inverse: UInt8 = 1
    for _ in 0..<255 {
      box[Int(power)] =
        inverse ^ rotated(inverse, by: 1) ^ rotated(inverse, by: 2) ^ rotated(inverse, by: 3)
        ^ rotated(inverse, by: 4) ^ 0x63
      power ^= double(power)
      inverse ^= inverse << 1
      inverse ^= inverse << 2
      inverse ^= inverse << 4
      if inverse & 0x80 != 0 { inverse ^= 0x09 }
    }
    box[0] = 0x63
    return box
  }

  private static func rotated(_ byte: UInt8, by count: UInt8) -> UInt8 {
    byte &<< count | byte &>> (8 &- count)
  }
}
