/// How much a device shows of who it is, and whom it lets connect.
///
/// Core Specification, Vol 3, Part C, 10.7, and Vol 6, Part B, 6.
public struct PrivacyPolicy: Equatable, Sendable {
  /// Whether it goes by resolvable private addresses, made with the key of its `LocalIdentity`; without one
  /// it does not. Takes effect when the controller is started.
  public var hidesIdentity: Bool
  /// How long it uses a private address, in seconds: at least 1. The specification proposes 15 minutes
  /// (Vol 3, Part C, Appendix A), and that is the default.
  ///
  /// No address changes while the controller tries to connect; links keep the one that they began with.
  public var renewalInterval: UInt16
  /// Whether a central without a bond cannot connect. A peer whose private address no bond resolves has none.
  public var admitsBondedOnly: Bool

  /// By default a device shows who it is, and takes everybody.
  public init(
    hidesIdentity: Bool = false, renewalInterval: UInt16 = 900, admitsBondedOnly: Bool = false
  ) {
    self.hidesIdentity = hidesIdentity
    self.renewalInterval = renewalInterval
    self.admitsBondedOnly = admitsBondedOnly
  }
}

/// What a controller has to be asked to keep its lists and its address as the host wants them. It refuses
/// these while it advertises, scans or initiates: Core Specification, Vol 4, Part E, 7.8.4 and 7.8.38 to
/// 7.8.44.
public enum PrivacyCommand: Equatable, Sendable {
  /// One without parameters.
  case plain(HCIOpcode)
  /// Resolve addresses, or not.
  case resolve(Bool)
  /// Add a device to the resolving list.
  case addToResolvingList(LEAddDeviceToResolvingList)
  /// Accept the identity address of a device in that list, too.
  case setPrivacyMode(LESetPrivacyMode)
  /// Add a device to the filter accept list.
  case addToAcceptList(DeviceAddress)
  /// Set the advertising parameters, with the filter policy as it is now.
  case setAdvertisingParameters
  /// Go by this private address.
  case setAddress(DeviceAddress)
}

extension DeviceAddress {
  /// A resolvable private address: `key` and the low 22 bits of `random` make it.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.2. Those bits may be neither all 0 nor all 1.
  init(resolvableWith key: Number128, random: UInt32) {
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
}
