/// Which part a device has in pairing. On LE the central is the initiator.
///
/// Core Specification, Vol 3, Part H, 2.3.
public enum PairingRole: Equatable, Sendable {
  /// It sends Pairing Request: the central.
  case initiator
  /// It sends Pairing Response: the peripheral.
  case responder
}

/// What the user has to do, or to see, for pairing to go on.
public enum PairingPrompt: Equatable, Sendable {
  /// Show this passkey, 0 to 999,999, in six digits. No answer is needed.
  case showPasskey(UInt32)
  /// Ask for the passkey that the other device shows.
  case enterPasskey
  /// Show this number, 0 to 999,999, in six digits, and ask whether the other device shows the same.
  case compareNumber(UInt32)
  /// Ask whether to pair at all.
  case confirmPairing
}

/// Two devices and the part of this one: what a pairing begins with.
public struct PairingLink: Sendable {
  /// The part of this device.
  public var role: PairingRole
  /// The address that this device has on the link: the resolvable private one, if it uses one.
  public var ownAddress: DeviceAddress
  /// The address that the peer has on the link.
  public var peerAddress: DeviceAddress

  /// A link between these two. Vol 3, Part H, 2.2.3 and 2.2.7: the functions cover the addresses with
  /// which the link was made, not the identity addresses.
  public init(role: PairingRole, ownAddress: DeviceAddress, peerAddress: DeviceAddress) {
    self.role = role
    self.ownAddress = ownAddress
    self.peerAddress = peerAddress
  }
}

/// Who this device is, however its address changes.
public struct LocalIdentity: Sendable {
  /// Resolves its resolvable private addresses; zero if it uses none.
  public var identityResolvingKey: Number128
  /// A public or a static random address.
  public var address: DeviceAddress

  /// An identity that peers get if they ask for it.
  public init(identityResolvingKey: Number128, address: DeviceAddress) {
    self.identityResolvingKey = identityResolvingKey
    self.address = address
  }
}

/// How a pairing ended.
public enum PairingOutcome: Equatable, Sendable {
  /// The link is encrypted with a new key. The bond is `nil` if the devices keep no key.
  case paired(Bond?)
  /// This device ended it. The peer gets the reason, if there is still a link.
  case failed(PairingFailure)
  /// The peer ended it for this reason.
  case refused(PairingFailure)
  /// 30 s passed without a PDU. This link can no longer pair. Vol 3, Part H, 3.4.
  case timedOut
  /// The link has gone.
  case linkLost
  /// The controller could not encrypt the link with the new key.
  case encryptionFailed(HCIErrorCode)
}
