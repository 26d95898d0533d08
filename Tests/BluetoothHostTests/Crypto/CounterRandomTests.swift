import BallTestSupport
import BluetoothHost
import Expectations

@Suite("Random numbers seeded by the controller")
struct CounterRandomTests {
  private let seed: [UInt64] = [
    0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, 0x0F1E_2D3C_4B5A_6978, 0x8796_A5B4_C3D2_E1F0,
  ]

  /// The numbers are from an independent CTR_DRBG with OpenSSL's AES.
  @Test("The numbers equal those of CTR_DRBG with AES-128")
  func numbers() {
    var random = CounterRandom()
    for number in seed { expect(random.addSeed(number), is: true) }
    expect(random.isSeeded)
    expect(
      [random.next(), random.next(), random.next()],
      is: [0x36E2_CCD1_A1EE_8368, 0xD84F_B12B_A793_5504, 0xB6B7_1BE7_6A4C_5F01])
  }

  @Test("Before the last of four seed numbers, the generator gives 0")
  func unseeded() {
    var random = CounterRandom()
    for number in seed.dropLast() { expect(random.addSeed(number), is: true) }
    expect(!random.isSeeded)
    expect(random.next(), is: 0)
  }

  @Test("A source that repeats a number is rejected")
  func repetition() {
    var random = CounterRandom()
    expect(random.addSeed(7), is: true)
    for _ in 0..<8 { expect(random.addSeed(7), is: false) }
    expect(!random.isSeeded)
  }

  @Test("Pairing waits for the whole seed, and for a controller that gives numbers")
  func refusal() {
    var manager = SecurityManager<
      1, TestAgreement, CounterRandom, BondTable<1>, PairingRecord
    >(
      policy: PairingPolicy(), identity: nil, bonds: BondTable(), delegate: PairingRecord(),
      agreement: TestAgreement(), random: CounterRandom())
    let now = Instant(rawValue: 0)
    manager.opened(.initiator, at: 0)
    var needsNumber = manager.needsRandomNumber
    expect(needsNumber)
    manager.takeRandomNumber(nil)
    needsNumber = manager.needsRandomNumber
    expect(!needsNumber, "not requested again before a reset")
    manager.controllerStarted(features: 0)
    for number in seed {
      needsNumber = manager.needsRandomNumber
      expect(needsNumber)
      expect(manager.pair(at: 0, at: now), is: false)
      manager.takeRandomNumber(number)
    }
    needsNumber = manager.needsRandomNumber
    expect(!needsNumber)
    expect(manager.pair(at: 0, at: now), is: true)
  }
}
