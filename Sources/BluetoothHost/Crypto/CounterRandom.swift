/// Random numbers for a machine that has no source of its own: its controller gives the seed, once, and
/// AES-128 makes all further numbers of that.
///
/// CTR_DRBG of NIST SP 800-90A, revision 1, 10.2.1, with AES-128, without a derivation function and without
/// reseeding: the controller's numbers are already evenly spread (Core Specification, Vol 4, Part E, 7.8.23;
/// Vol 2, Part H, 2). Each number is a request of its own, after which the key is a new one: who reads
/// the memory later cannot work out the numbers that were made before.
///
/// Not for a device that hides its identity: that wants random numbers before the controller has been set up.
public struct CounterRandom: SecureRandomNumberGenerator, Sendable {
  /// How many numbers of the controller's make the seed: 256 bits.
  private static var seedSize: Int { 4 }

  private var key = Number128.zero
  private var counter = Number128.zero
  private var seed = Number256.zero
  private var seedCount = 0

  /// A generator without a seed.
  public init() {}

  /// Whether the seed is whole.
  public var isSeeded: Bool { seedCount == Self.seedSize }

  /// Adds 64 bits to the seed. Nothing happens once it is whole.
  ///
  /// - Returns: `false` if the last ones were the same. Of 2⁶⁴ sound sources one does that; a broken one
  ///   does it always (NIST SP 800-90B, 4.4.1).
  public mutating func addSeed(_ number: UInt64) -> Bool {
    guard !isSeeded else { return true }
    let low = UInt32(truncatingIfNeeded: number)
    let high = UInt32(truncatingIfNeeded: number &>> 32)
    let place = seedCount &* 2
    if place > 0, seed.words[place &- 2] == low, seed.words[place &- 1] == high { return false }
    seed.words[place] = low
    seed.words[place &+ 1] = high
    seedCount &+= 1
    if isSeeded {
      update(with: seed)
      overwrite(&seed, with: .zero)
    }
    return true
  }

  /// The next number. Without a whole seed it is 0, which no key agreement takes for a private key.
  @inline(never)
  public mutating func next() -> UInt64 {
    guard isSeeded else { return 0 }
    let block = nextBlock()
    update(with: .zero)
    return UInt64(widening: block.words[3]) &<< 32 | UInt64(widening: block.words[2])
  }

  private mutating func nextBlock() -> Number128 {
    counter.add(Number128(words: [1, 0, 0, 0]))
    return AES128(key: key).encrypt(counter)
  }

  /// CTR_DRBG_Update (10.2.1.2): the upper half of 256 bits becomes the key, the lower one the counter.
  @inline(never)
  private mutating func update(with data: Number256) {
    let upper = nextBlock()
    let lower = nextBlock()
    for index in 0..<4 {
      key.words[index] = upper.words[index] ^ data.words[index &+ 4]
      counter.words[index] = lower.words[index] ^ data.words[index]
    }
  }
}
