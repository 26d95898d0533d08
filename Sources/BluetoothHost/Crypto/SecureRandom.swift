/// The source of the keys and random numbers of pairing, and of the seeds of what else is random.
///
/// A requirement beyond Swift's protocol, which no compiler can check: who has seen some of its numbers
/// cannot work out another (Core Specification, Vol 2, Part H, 2). A source that may fail to start says so
/// when it is made. One that exists has a number as soon as `isSeeded`; nobody pairs before that.
public protocol SecureRandomNumberGenerator: RandomNumberGenerator {
  /// Whether it has all that its numbers are made of. The default is `true`. Where it is `false`, the host
  /// asks the controller for random numbers and hands them to `addSeed`.
  var isSeeded: Bool { get }

  /// Takes 64 random bits of the controller's; `false` if they are not to be believed. The default does
  /// nothing.
  mutating func addSeed(_ number: UInt64) -> Bool
}

extension SecureRandomNumberGenerator {
  /// `true`: it needs nothing of the controller.
  @inlinable
  public var isSeeded: Bool { true }

  /// Does nothing.
  @inlinable
  public mutating func addSeed(_ number: UInt64) -> Bool { true }

  /// A number of any size, each equally likely.
  public mutating func nextNumber<let wordCount: Int>() -> WideNumber<wordCount> {
    var number = WideNumber<wordCount>.zero
    for index in 0..<wordCount { number.words[index] = UInt32(truncatingIfNeeded: next()) }
    return number
  }
}
