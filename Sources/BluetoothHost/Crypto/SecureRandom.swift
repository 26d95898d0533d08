/// The source of keys and seeds. It is infeasible to compute one number from others
/// (Core Specification, Vol 2, Part H, 2), which no compiler can check. Numbers count once
/// `isSeeded`; pairing is refused before.
public protocol SecureRandomNumberGenerator: RandomNumberGenerator {
  /// Whether its seed is complete, by default true. Until then the host passes numbers of the
  /// controller to `addSeed`.
  var isSeeded: Bool { get }

  /// Takes 64 random bits of the controller; `false` if unusable. By default nothing happens.
  mutating func addSeed(_ number: UInt64) -> Bool

  /// The identity that the device takes at the next start of its controller, by default `nil`: the one it has.
  var identity: LocalIdentity? { get }
}

extension SecureRandomNumberGenerator {
  /// `true`: it needs no seed from the controller.
  @inlinable public var isSeeded: Bool { true }

  /// Does nothing.
  @inlinable public mutating func addSeed(_ number: UInt64) -> Bool { true }

  /// `nil`: the device keeps its identity.
  @inlinable public var identity: LocalIdentity? { nil }

  /// A uniformly distributed number of any size.
  public mutating func nextNumber<let wordCount: Int>() -> WideNumber<wordCount> {
    var number = WideNumber<wordCount>.zero
    for index in 0..<wordCount { number.words[index] = UInt32(truncatingIfNeeded: next()) }
    return number
  }
}

/// CTR_DRBG of NIST SP 800-90A, revision 1, 10.2.1, with AES-128, for a machine without random
/// numbers: the controller's, which are uniform (Core Specification, Vol 4, Part E, 7.8.23;
/// Vol 2, Part H, 2), seed it once. The key changes after each number, so that memory does not
/// reveal earlier ones. Not for a device with private addresses, which needs numbers before the
/// controller is set up.
public struct CounterRandom: SecureRandomNumberGenerator, Sendable {
  /// How many numbers of the controller form the seed: 256 bits.
  private static var seedSize: Int { 4 }

  private var key = Number128.zero
  private var counter = Number128.zero
  private var seed = Number256.zero
  private var seedCount = 0

  /// Creates a generator without a seed.
  public init() {}

  /// Whether the seed is complete.
  public var isSeeded: Bool { seedCount == Self.seedSize }

  /// Adds 64 bits to an incomplete seed. Returns `false` for the same bits as before, as a broken
  /// source gives (NIST SP 800-90B, 4.4.1).
  public mutating func addSeed(_ number: UInt64) -> Bool {
    guard !isSeeded else { return true }
    let low = UInt32(truncatingIfNeeded: number)
    let high = UInt32(truncatingIfNeeded: number &>> 32)
    let position = seedCount &* 2
    if position > 0, seed.words[position &- 2] == low, seed.words[position &- 1] == high {
      return false
    }
    seed.words[position] = low
    seed.words[position &+ 1] = high
    seedCount &+= 1
    if isSeeded {
      update(with: seed)
      overwrite(&seed, with: .zero)
    }
    return true
  }

  /// The next number; 0 without a seed, which a key agreement refuses as a private key.
  @inline(never) public mutating func next() -> UInt64 {
    guard isSeeded else { return 0 }
    let block = nextBlock()
    update(with: .zero)
    return UInt64(widening: block.words[3]) &<< 32 | UInt64(widening: block.words[2])
  }

  private mutating func nextBlock() -> Number128 {
    counter.add(Number128(words: [1, 0, 0, 0]))
    return AES128(key: key).encrypt(counter)
  }

  /// CTR_DRBG_Update (10.2.1.2): the upper half becomes the key, the lower the counter.
  @inline(never) private mutating func update(with data: Number256) {
    let upper = nextBlock()
    let lower = nextBlock()
    for index in 0..<4 {
      key.words[index] = upper.words[index] ^ data.words[index &+ 4]
      counter.words[index] = lower.words[index] ^ data.words[index]
    }
  }
}

/// Repeatable random numbers, not secret: SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", 2014). Every seed is a good one.
public struct SplitMix64: Sendable {
  private var state: UInt64

  /// A generator that always gives the same numbers for the same seed.
  public init(seed: UInt64) { state = seed }

  /// The next 64-bit number; all numbers are equally likely.
  @inline(__always) public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed &>> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed &>> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed &>> 31
  }
}
