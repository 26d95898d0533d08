import BluetoothHost
import LinuxSystem
import Testing

@Suite("Random numbers of the kernel")
struct SystemRandomTests {
  @Test("Neither one generator nor two repeat a number")
  func differs() {
    var first = SystemRandom()
    var second = SystemRandom()
    var numbers: Set<UInt64> = []
    for _ in 0..<64 {
      numbers.insert(first.next())
      numbers.insert(second.next())
    }
    // By chance two of 128 numbers of 64 bits are equal once in 2 to the power of 51.
    #expect(numbers.count == 128)
  }

  @Test("Every bit of a key is 1 at times and 0 at times")
  func bits() {
    var random = SystemRandom()
    var ones = Number128.zero
    var zeros = Number128.zero
    for _ in 0..<64 {
      let key: Number128 = random.nextNumber()
      for word in 0..<4 {
        ones.words[word] |= key.words[word]
        zeros.words[word] |= ~key.words[word]
      }
    }
    for word in 0..<4 {
      #expect(ones.words[word] == .max)
      #expect(zeros.words[word] == .max)
    }
  }
}
