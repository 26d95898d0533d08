/// The method of pairing, which may involve the users.
///
/// Core Specification, Vol 3, Part H, 2.3.5.1.
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
    case (.noInputNoOutput, _), (_, .noInputNoOutput):
      self = .justWorks
    case (.keyboardOnly, .keyboardOnly):
      self = .passkeyEnteredAtBoth
    case (.keyboardOnly, _):
      self = .passkeyShownByResponder
    case (_, .keyboardOnly):
      self = .passkeyShownByInitiator
    case (.displayYesNo, .displayYesNo):
      self = isSecureConnections ? .numericComparison : .justWorks
    case (.keyboardDisplay, .displayYesNo):
      self = isSecureConnections ? .numericComparison : .passkeyShownByResponder
    case (.displayYesNo, .keyboardDisplay), (.keyboardDisplay, .keyboardDisplay):
      self = isSecureConnections ? .numericComparison : .passkeyShownByInitiator
    case (.keyboardDisplay, .displayOnly):
      self = .passkeyShownByResponder
    case (.displayOnly, .keyboardDisplay):
      self = .passkeyShownByInitiator
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
