/// How the two users, or none, see to it that nobody sits between the devices.
///
/// Core Specification, Vol 3, Part H, 2.3.5.1.
public enum AssociationModel: Equatable, Sendable {
  /// Nobody checks anything: no protection against a man in the middle.
  case justWorks
  /// Both devices show a number, and both users say that it is the same. Secure Connections only.
  case numericComparison
  /// The initiator shows a passkey, and the user enters it at the responder.
  case passkeyShownByInitiator
  /// The responder shows a passkey, and the user enters it at the initiator.
  case passkeyShownByResponder
  /// The user enters the same passkey at both.
  case passkeyEnteredAtBoth

  /// The model that two devices without out-of-band data use.
  ///
  /// - Parameters:
  ///   - initiator: what the initiator sent in Pairing Request.
  ///   - responder: what the responder sent in Pairing Response.
  public init(initiator: PairingFeatures, responder: PairingFeatures) {
    let requirements = initiator.authenticationRequirements
    let others = responder.authenticationRequirements
    guard requirements.contains(.mitm) || others.contains(.mitm) else {
      // Nobody asks for protection: the IO capabilities are ignored.
      self = .justWorks
      return
    }
    self.init(
      initiator: initiator.ioCapability, responder: responder.ioCapability,
      isSecureConnections: requirements.contains(.secureConnections)
        && others.contains(.secureConnections))
  }

  /// The model that the IO capabilities give: Table 2.8.
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

  /// Whether it protects against a man in the middle.
  public var isAuthenticated: Bool { self != .justWorks }

  /// Whether a passkey is entered at one device or at both.
  public var usesPasskey: Bool {
    switch self {
    case .justWorks, .numericComparison: false
    case .passkeyShownByInitiator, .passkeyShownByResponder, .passkeyEnteredAtBoth: true
    }
  }

  /// Whether the device in this role shows the passkey.
  func showsPasskey(as role: PairingRole) -> Bool {
    switch role {
    case .initiator: self == .passkeyShownByInitiator
    case .responder: self == .passkeyShownByResponder
    }
  }
}
