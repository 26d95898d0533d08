import BallTestSupport
import Expectations

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
    expect(number, is: Number128(0x0F0E_0D0C_0B0A_0908, 0x0706_0504_0302_0100))
    expect(rest, is: 0)

    expect(written { number.write(to: &$0) }, is: sent)

    for short in truncations(of: sent) {
      var reader = ByteReader(short.span)
      let number = Number128(&reader)
      let rest = reader.count
      expect(number, is: nil)
      expect(rest, is: short.count)
    }
  }

  @Test("Numbers that differ in one bit are unequal")
  func equality() {
    let number = Number128(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210)
    for bit in 0..<128 {
      var other = number
      other.words[bit / 32] ^= 1 << UInt32(bit % 32)
      expect(number != other)
    }
    expect(number, is: Number128(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210))
  }

  @Test("Carries and borrows go through all words")
  func arithmetic() {
    var one = Number128.zero
    one.words[0] = 1
    var number = Number128(UInt64.max, UInt64.max)
    expect(number.add(one), is: 1)
    expect(number, is: .zero)
    expect(number.subtract(one), is: .max)
    expect(number, is: Number128(UInt64.max, UInt64.max))
    expect(number.subtract(one), is: 0)
    expect(number, is: Number128(UInt64.max, UInt64.max - 1))
    expect(number.add(one, masked: 0), is: 0)
    expect(number, is: Number128(UInt64.max, UInt64.max - 1))
    expect(one.isBelow(number))
    expect(!number.isBelow(number))
    expect(!number.isBelow(one))
  }

  @Test("Random numbers use all bits, and repeat with the seed")
  func random() {
    var first = FixedRandom(seed: 8)
    var second = FixedRandom(seed: 8)
    var ones = Number256.zero
    var zeros = Number256.zero
    for _ in 0..<64 {
      let number: Number256 = first.nextNumber()
      expect(number, is: second.nextNumber())
      for index in 0..<8 {
        ones.words[index] |= number.words[index]
        zeros.words[index] |= ~number.words[index]
      }
    }
    expect(ones, is: Number256(.max, .max, .max, .max))
    expect(zeros, is: Number256(.max, .max, .max, .max))
  }
}
