/// The requirements for a pairing.
public struct PairingPolicy: Equatable, Sendable {
  /// Protection against man-in-the-middle attacks: the bit MITM in AuthReq.
  public enum Authentication: Sendable {
    /// Not requested. A peer may request it.
    case optional
    /// Requested if this device can display or take numbers. Just Works remains possible.
    case wherePossible
    /// Pairing fails without it: Authentication Requirements.
    case required
  }

  /// LE Secure Connections: the bit SC in AuthReq.
  public enum SecureConnections: Sendable {
    /// Legacy pairing only: for a device that is too slow for P-256.
    case notOffered
    /// Legacy pairing with peers that do not support it.
    case wherePossible
    /// Legacy pairing fails: Authentication Requirements. Vol 3, Part C, 10.2.4.
    case required
  }

  /// Whether peers may pair now. If not, a Pairing Request fails with Pairing Not Supported.
  public var isOpen: Bool
  /// Whether the first successful pairing sets `isOpen` to false.
  public var closesAfterPairing: Bool
  /// This device's means to display and enter numbers.
  public var ioCapability: IOCapability
  /// Whether to request protection against man-in-the-middle attacks.
  public var authentication: Authentication
  /// Whether to request LE Secure Connections.
  public var secureConnections: SecureConnections
  /// Whether to store keys.
  public var bonds: Bool
  /// Whether a new bond may replace another device's bond in a full store. If not, the pairing fails
  /// with Key Rejected.
  public var dropsBonds: Bool
  /// Whether the user has to confirm Just Works.
  public var confirmsJustWorks: Bool

  /// The defaults pair with every peer, store keys, and show no prompts, for a device without
  /// buttons.
  public init(
    isOpen: Bool = true, closesAfterPairing: Bool = false,
    ioCapability: IOCapability = .noInputNoOutput, authentication: Authentication = .wherePossible,
    secureConnections: SecureConnections = .wherePossible, bonds: Bool = true,
    dropsBonds: Bool = true, confirmsJustWorks: Bool = false
  ) {
    self.isOpen = isOpen
    self.closesAfterPairing = closesAfterPairing
    self.ioCapability = ioCapability
    self.authentication = authentication
    self.secureConnections = secureConnections
    self.bonds = bonds
    self.dropsBonds = dropsBonds
    self.confirmsJustWorks = confirmsJustWorks
  }

  /// AuthReq for this policy. Vol 3, Part H, 3.5.1.
  var requirements: AuthenticationRequirements {
    var requirements: AuthenticationRequirements = .none
    if secureConnections != .notOffered { requirements = requirements | .secureConnections }
    if bonds { requirements = requirements | .bonding }
    switch authentication {
    case .optional: break
    case .wherePossible where ioCapability == .noInputNoOutput: break
    case .wherePossible, .required: requirements = requirements | .mitm
    }
    return requirements
  }

  /// This policy with at least the security of `bond`: a new pairing never weakens a bond.
  func strengthened(by bond: Bond) -> PairingPolicy {
    var policy = self
    if bond.isAuthenticated { policy.authentication = .required }
    if bond.isSecureConnections { policy.secureConnections = .required }
    return policy
  }
}

/// The method of pairing, which may involve the users: Core Specification, Vol 3, Part H, 2.3.5.1.
public enum AssociationModel: Equatable, Sendable {
  /// No user interaction, and no protection against man-in-the-middle attacks.
  case justWorks
  /// Both devices display a number, and both users confirm that it is the same. Secure Connections
  /// only.
  case numericComparison
  /// The initiator displays a passkey, and the user enters it at the responder.
  case passkeyShownByInitiator
  /// The responder displays a passkey, and the user enters it at the initiator.
  case passkeyShownByResponder
  /// The user enters the same passkey at both.
  case passkeyEnteredAtBoth

  /// The model of two devices without out-of-band data.
  ///
  /// - Parameters:
  ///   - initiator: The features in Pairing Request.
  ///   - responder: The features in Pairing Response.
  public init(initiator: PairingFeatures, responder: PairingFeatures) {
    let requirements = initiator.authenticationRequirements
    let others = responder.authenticationRequirements
    guard requirements.contains(.mitm) || others.contains(.mitm) else {
      // Neither device requests protection, so the IO capabilities are ignored.
      self = .justWorks
      return
    }
    self.init(
      initiator: initiator.ioCapability, responder: responder.ioCapability,
      isSecureConnections: requirements.contains(.secureConnections)
        && others.contains(.secureConnections))
  }

  /// The model for these IO capabilities: Table 2.8.
  init(initiator: IOCapability, responder: IOCapability, isSecureConnections: Bool) {
    switch (initiator, responder) {
    case (.noInputNoOutput, _), (_, .noInputNoOutput): self = .justWorks
    case (.keyboardOnly, .keyboardOnly): self = .passkeyEnteredAtBoth
    case (.keyboardOnly, _): self = .passkeyShownByResponder
    case (_, .keyboardOnly): self = .passkeyShownByInitiator
    case (.displayYesNo, .displayYesNo):
      self = isSecureConnections ? .numericComparison : .justWorks
    case (.keyboardDisplay, .displayYesNo):
      self = isSecureConnections ? .numericComparison : .passkeyShownByResponder
    case (.displayYesNo, .keyboardDisplay), (.keyboardDisplay, .keyboardDisplay):
      self = isSecureConnections ? .numericComparison : .passkeyShownByInitiator
    case (.keyboardDisplay, .displayOnly): self = .passkeyShownByResponder
    case (.displayOnly, .keyboardDisplay): self = .passkeyShownByInitiator
    case (.displayOnly, .displayOnly), (.displayOnly, .displayYesNo), (.displayYesNo, .displayOnly):
      self = .justWorks
    }
  }

  /// Whether it protects against man-in-the-middle attacks.
  public var isAuthenticated: Bool { self != .justWorks }

  /// Whether the user enters a passkey.
  public var usesPasskey: Bool {
    switch self {
    case .justWorks, .numericComparison: false
    case .passkeyShownByInitiator, .passkeyShownByResponder, .passkeyEnteredAtBoth: true
    }
  }

  /// Whether the device in this role displays the passkey.
  func showsPasskey(as role: PairingRole) -> Bool {
    switch role {
    case .initiator: self == .passkeyShownByInitiator
    case .responder: self == .passkeyShownByResponder
    }
  }
}

/// The role of a device in pairing. In LE the central is the initiator.
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

/// How a pairing ended.
public enum PairingOutcome: Equatable, Sendable {
  /// The link is encrypted with a new key. The bond is `nil` if the devices do not store the key.
  case paired(Bond?)
  /// This device ended it. The peer gets the reason, if there is still a link.
  case failed(PairingError)
  /// This device ended it, since its store of bonds is full and its policy drops none. The peer gets
  /// Key Rejected.
  case noRoom
  /// The peer ended it for this reason.
  case refused(PairingError)
  /// 30 s passed without a PDU. The link can no longer pair. Vol 3, Part H, 3.4.
  case timedOut
  /// The link closed.
  case linkLost
  /// The controller could not encrypt the link with the new key.
  case encryptionFailed(HCIErrorCode)
}
