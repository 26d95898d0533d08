/// The source of the keys and random numbers of pairing, and of other seeds.
///
/// A requirement beyond Swift's protocol, which no compiler can check: it is infeasible to compute
/// one number from others (Core Specification, Vol 2, Part H, 2). A source that may fail to start
/// has a failable or throwing initialiser. It returns numbers as soon as `isSeeded` is true;
/// pairing is refused before.
public protocol SecureRandomNumberGenerator: RandomNumberGenerator {
  /// Whether its seed is complete. The default is `true`. While it is `false`, the host requests
  /// random numbers from the controller and passes them to `addSeed`.
  var isSeeded: Bool { get }

  /// Takes 64 random bits of the controller; `false` if they are unusable. The default does
  /// nothing.
  mutating func addSeed(_ number: UInt64) -> Bool
}

extension SecureRandomNumberGenerator {
  /// `true`: it needs no seed from the controller.
  @inlinable
  public var isSeeded: Bool { true }

  /// Does nothing.
  @inlinable
  public mutating func addSeed(_ number: UInt64) -> Bool { true }

  /// A uniformly distributed number of any size.
  public mutating func nextNumber<let wordCount: Int>() -> WideNumber<wordCount> {
    var number = WideNumber<wordCount>.zero
    for index in 0..<wordCount { number.words[index] = UInt32(truncatingIfNeeded: next()) }
    return number
  }
}
