/// The source of the keys and random numbers of pairing, and of the seeds of what else is random.
///
/// A requirement beyond Swift's protocol, which no compiler can check: who has seen some of its numbers
/// cannot work out another (Core Specification, Vol 2, Part H, 2). A source that may fail to start says so
/// when it is made; one that exists always has a number.
public protocol SecureRandomNumberGenerator: RandomNumberGenerator {}

extension SecureRandomNumberGenerator {
  /// A number of any size, each equally likely.
  public mutating func nextNumber<let wordCount: Int>() -> WideNumber<wordCount> {
    var number = WideNumber<wordCount>.zero
    for index in 0..<wordCount { number.words[index] = UInt32(truncatingIfNeeded: next()) }
    return number
  }
}
