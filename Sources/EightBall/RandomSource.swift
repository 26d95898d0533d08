import BluetoothHost

/// The numbers that choose answers: the same for the same seed.
public struct RandomSource: Sendable {
  private var numbers: SplitMix64

  /// A source that always gives the same numbers for the same seed.
  public init(seed: UInt64) {
    numbers = SplitMix64(seed: seed)
  }

  /// The next 32-bit number; all numbers are equally likely.
  public mutating func next() -> UInt32 {
    UInt32(truncatingIfNeeded: numbers.next() &>> 32)
  }

  /// The next number below `bound`, each equally likely; 0 if `bound` is 0. Inlined, so that the
  /// compiler divides by a constant.
  @inline(__always)
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
