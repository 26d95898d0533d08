/// Numbers that are the same for the same seed, and no secret: who has seen a few can work out the
/// rest.
///
/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014):
/// one word of state, and every seed is a good one.
public struct RandomSource: Sendable {
  private var state: UInt64

  /// A source that always gives the same numbers for the same seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next number, each of 32 bits equally likely.
  public mutating func next() -> UInt32 {
    state = state &+ 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z &>> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z &>> 27) &* 0x94D0_49BB_1331_11EB
    return UInt32(truncatingIfNeeded: (z ^ z &>> 31) &>> 32)
  }

  /// The next number below `bound`, each equally likely; 0 if `bound` is 0.
  public mutating func next(below bound: UInt32) -> UInt32 {
    guard bound > 0 else { return 0 }
    // The last, incomplete run of `bound` numbers below 2³² would favour the small ones.
    let excess = (UInt32.max % bound + 1) % bound
    while true {
      let number = next()
      if number <= UInt32.max - excess { return number % bound }
    }
  }
}
