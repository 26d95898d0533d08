/// The role of a device in pairing. In LE the central is the initiator.
///
/// Core Specification, Vol 3, Part H, 2.3.
public enum PairingRole: Equatable, Sendable {
  /// It sends Pairing Request: the central.
  case initiator
  /// It sends Pairing Response: the peripheral.
  case responder
}

/// What the user has to do or to see during pairing.
public enum PairingPrompt: Equatable, Sendable {
  /// Show this passkey, 0 to 999,999, in six digits. No answer is needed.
  case showPasskey(UInt32)
  /// Ask for the passkey that the other device shows.
  case enterPasskey
  /// Show this number, 0 to 999,999, in six digits, and ask whether the other device shows the
  /// same.
  case compareNumber(UInt32)
  /// Ask whether to pair at all.
  case confirmPairing
}

/// The two devices of a pairing and the role of this one.
public struct PairingLink: Sendable {
  /// The role of this device.
  public var role: PairingRole
  /// This device's address on the link: a resolvable private one if it uses these.
  public var ownAddress: DeviceAddress
  /// The peer's address on the link.
  public var peerAddress: DeviceAddress

  /// Creates a link. Vol 3, Part H, 2.2.3 and 2.2.7: pairing uses the addresses with which the link
  /// was made, not the identity addresses.
  public init(role: PairingRole, ownAddress: DeviceAddress, peerAddress: DeviceAddress) {
    self.role = role
    self.ownAddress = ownAddress
    self.peerAddress = peerAddress
  }
}

/// The permanent identity of this device.
public struct LocalIdentity: Sendable {
  /// The key that resolves its resolvable private addresses; zero if it uses none.
  public var identityResolvingKey: Number128
  /// A public or a static random address.
  public var address: DeviceAddress

  /// Creates an identity, which is distributed to peers that request it.
  public init(identityResolvingKey: Number128, address: DeviceAddress) {
    self.identityResolvingKey = identityResolvingKey
    self.address = address
  }
}

/// How a pairing ended.
public enum PairingOutcome: Equatable, Sendable {
  /// The link is encrypted with a new key. The bond is `nil` if the devices do not store the key.
  case paired(Bond?)
  /// This device ended it. The peer gets the reason, if there is still a link.
  case failed(PairingFailure)
  /// This device ended it, since its store of bonds is full and its policy drops none. The peer gets
  /// Key Rejected.
  case noRoom
  /// The peer ended it for this reason.
  case refused(PairingFailure)
  /// 30 s passed without a PDU. The link can no longer pair. Vol 3, Part H, 3.4.
  case timedOut
  /// The link closed.
  case linkLost
  /// The controller could not encrypt the link with the new key.
  case encryptionFailed(HCIErrorCode)
}
