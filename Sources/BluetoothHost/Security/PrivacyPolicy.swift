/// A device's use of private addresses, and the devices that may connect.
///
/// Core Specification, Vol 3, Part C, 10.7, and Vol 6, Part B, 6.
public struct PrivacyPolicy: Equatable, Sendable {
  /// Whether it uses resolvable private addresses, made with the key of its `LocalIdentity`;
  /// without a key it does not. Takes effect at the start of the controller.
  public var hidesIdentity: Bool
  /// The lifetime of a private address in seconds, at least 1. The default is the 15 minutes that
  /// the specification recommends (Vol 3, Part C, Appendix A).
  ///
  /// An attempt to connect is interrupted for the change: Vol 3, Part C, 10.7.1. Links keep their
  /// first address.
  public var renewalInterval: UInt16
  /// Whether only bonded centrals may connect. A private address has to be resolved by a bond.
  public var admitsBondedOnly: Bool

  /// By default a device uses no private addresses, and every central may connect.
  public init(
    hidesIdentity: Bool = false, renewalInterval: UInt16 = 900, admitsBondedOnly: Bool = false
  ) {
    self.hidesIdentity = hidesIdentity
    self.renewalInterval = renewalInterval
    self.admitsBondedOnly = admitsBondedOnly
  }
}

/// A command that updates the controller's lists or its address. The controller refuses these while
/// it advertises, scans or initiates: Core Specification, Vol 4, Part E, 7.8.4 and 7.8.38 to
/// 7.8.44.
public enum PrivacyCommand: Equatable, Sendable {
  /// A command without parameters.
  case plain(HCIOpcode)
  /// Start or stop address resolution.
  case resolve(Bool)
  /// Add a device to the resolving list.
  case addToResolvingList(LEAddDeviceToResolvingList)
  /// Also accept the identity address of a device in that list.
  case setPrivacyMode(LESetPrivacyMode)
  /// Add a device to the filter accept list.
  case addToAcceptList(DeviceAddress)
  /// Set the advertising parameters, with the current filter policy.
  case setAdvertisingParameters
  /// Use this private address.
  case setAddress(DeviceAddress)
}
