// Private addresses, and the identity addresses behind them: Core Specification, Vol 6, Part B, 1.3.
extension DeviceAddress {
  /// Whether it is an identity address: public or static random.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.
  public var isIdentity: Bool {
    kind == .public || (kind == .random && bytes[5] & 0b1100_0000 == 0b1100_0000)
  }

  /// Whether it is a resolvable private address: 22 random bits under the top bits 01, and a hash.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.2.
  public var isResolvable: Bool { kind == .random && bytes[5] & 0b1100_0000 == 0b0100_0000 }

  /// Creates a resolvable private address from `key` and the low 22 bits of `random`.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.2. Those bits may be neither all 0 nor all 1.
  public init(resolvableWith key: Number128, random: UInt32) {
    var part = random & 0x3F_FFFF
    if part == 0 || part == 0x3F_FFFF { part = 1 }
    let prand = part | 0x40_0000
    let hash = PairingFunctions.ah(k: key, r: prand)
    self.init(
      kind: .random,
      bytes: InlineArray<6, UInt8> { index in
        let number = index < 3 ? hash : prand
        return UInt8(truncatingIfNeeded: number &>> UInt32(8 * (index % 3)))
      })
  }

  /// Whether it is a resolvable private address that was made with `key`.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.3.
  public func isResolved(by key: Number128) -> Bool {
    guard isResolvable else { return false }
    let bytes = bytes
    let hash = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
    let prand = UInt32(bytes[3]) | UInt32(bytes[4]) << 8 | UInt32(bytes[5]) << 16
    return PairingFunctions.ah(k: key, r: prand) == hash
  }
}
