import BluetoothHost
import Testing

@Suite("Random numbers made of the controller's")
struct CounterRandomTests {
  private let seed: [UInt64] = [
    0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, 0x0F1E_2D3C_4B5A_6978, 0x8796_A5B4_C3D2_E1F0,
  ]

  /// The numbers are those of an independent CTR_DRBG, by OpenSSL's AES.
  @Test("The numbers are those of CTR_DRBG with AES-128")
  func numbers() {
    var random = CounterRandom()
    for number in seed {
      let isTaken = random.addSeed(number)
      #expect(isTaken)
    }
    #expect(random.isSeeded)
    let numbers = [random.next(), random.next(), random.next()]
    #expect(numbers == [0x36E2_CCD1_A1EE_8368, 0xD84F_B12B_A793_5504, 0xB6B7_1BE7_6A4C_5F01])
  }

  @Test("Without the last of four numbers there is no seed, and no number but 0")
  func unseeded() {
    var random = CounterRandom()
    for number in seed.dropLast() {
      let isTaken = random.addSeed(number)
      #expect(isTaken)
    }
    #expect(!random.isSeeded)
    let number = random.next()
    #expect(number == 0)
  }

  @Test("A source that repeats itself is not believed")
  func repetition() {
    var random = CounterRandom()
    let isTaken = random.addSeed(7)
    #expect(isTaken)
    for _ in 0..<8 {
      let isTakenAgain = random.addSeed(7)
      #expect(!isTakenAgain)
    }
    #expect(!random.isSeeded)
  }

  @Test("Nobody pairs before the seed is whole, nor while the controller refuses")
  func refusal() {
    var manager = SecurityManager<
      1, TestAgreement, CounterRandom, BondTable<1>, RecordingDelegate
    >(
      policy: PairingPolicy(), identity: nil, bonds: BondTable(), delegate: RecordingDelegate(),
      agreement: TestAgreement(), random: CounterRandom())
    let now = Instant(rawValue: 0)
    manager.opened(
      PairingLink(role: .initiator, ownAddress: initiatorAddress, peerAddress: responderAddress),
      at: 0)
    var isAsking = manager.needsRandomNumber
    #expect(isAsking)
    manager.takeRandomNumber(nil)
    isAsking = manager.needsRandomNumber
    #expect(!isAsking, "not asked again before a reset")
    manager.controllerStarted(features: 0)
    for number in seed {
      isAsking = manager.needsRandomNumber
      #expect(isAsking)
      let isBegun = manager.pair(at: 0, at: now)
      #expect(!isBegun)
      manager.takeRandomNumber(number)
    }
    isAsking = manager.needsRandomNumber
    #expect(!isAsking)
    let isBegun = manager.pair(at: 0, at: now)
    #expect(isBegun)
  }
}
