import BallTestSupport
import Testing

@testable import BluetoothHost

@Suite("Wide numbers")
struct WideNumberTests {
  @Test("Numbers are read and written low byte first; missing bytes are refused")
  func bytes() throws {
    let sent = (0..<16).map { UInt8($0) }
    var reader = ByteReader(sent.span)
    let read = Number128(&reader)
    let rest = reader.count
    let number = try #require(read)
    #expect(number == Number128(0x0F0E_0D0C_0B0A_0908, 0x0706_0504_0302_0100))
    #expect(rest == 0)

    #expect(written { number.write(to: &$0) } == sent)

    for short in truncations(of: sent) {
      var reader = ByteReader(short.span)
      let number = Number128(&reader)
      let rest = reader.count
      #expect(number == nil)
      #expect(rest == short.count)
    }
  }

  @Test("Numbers that differ in one bit are unequal")
  func equality() {
    let number = Number128(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210)
    for bit in 0..<128 {
      var other = number
      other.words[bit / 32] ^= 1 << UInt32(bit % 32)
      #expect(number != other)
    }
    #expect(number == Number128(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210))
  }

  @Test("Carries and borrows go through all words")
  func arithmetic() {
    var one = Number128.zero
    one.words[0] = 1
    var number = Number128(UInt64.max, UInt64.max)
    #expect(number.add(one) == 1)
    #expect(number == .zero)
    #expect(number.subtract(one) == .max)
    #expect(number == Number128(UInt64.max, UInt64.max))
    #expect(number.subtract(one) == 0)
    #expect(number == Number128(UInt64.max, UInt64.max - 1))
    #expect(number.add(one, masked: 0) == 0)
    #expect(number == Number128(UInt64.max, UInt64.max - 1))
    #expect(one.isBelow(number))
    #expect(!number.isBelow(number))
    #expect(!number.isBelow(one))
  }

  @Test("Random numbers use all bits, and repeat with the seed")
  func random() {
    var first = FixedRandom(seed: 8)
    var second = FixedRandom(seed: 8)
    var ones = Number256.zero
    var zeros = Number256.zero
    for _ in 0..<64 {
      let number: Number256 = first.nextNumber()
      #expect(number == second.nextNumber())
      for index in 0..<8 {
        ones.words[index] |= number.words[index]
        zeros.words[index] |= ~number.words[index]
      }
    }
    #expect(ones == Number256(.max, .max, .max, .max))
    #expect(zeros == Number256(.max, .max, .max, .max))
  }
}
