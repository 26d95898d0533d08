extension UInt64 {
  /// The same value in 64 bits.
  ///
  /// On a 32-bit processor Embedded Swift's generic `UInt64(_:)` of a narrower integer requires an
  /// allocating array type, which the compiler rejects; this initialiser does not.
  @inlinable
  public init(widening value: UInt32) {
    self.init(_truncatingBits: UInt(value))
  }
}
