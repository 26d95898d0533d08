/// What a Security Manager knows about one link.
struct SecuredLink {
  var isOpen = false
  var link = PairingLink(role: .responder, ownAddress: .zero, peerAddress: .zero)
  /// The identity address of the peer's bond; `nil` without a bond.
  var identity: DeviceAddress?
  /// What protects the link now.
  var security: LinkSecurity = .none
  /// Whether the Security Manager Timer has run out: this link takes no more of the protocol.
  var isSilenced = false

  // What the server knows of the peer.
  /// Whether the server has what the bond keeps.
  var isRecognized = false
  /// What the bond keeps; `nil` if that is not known to be the latest.
  var kept: ClientState?

  // Owed to the peer.
  var owedFailure: PairingFailure?
  var owesSecurityRequest = false
  /// When the Security Request that was sent is given up.
  var requestDeadline: Instant?

  // Owed to the controller.
  /// Whether the controller shall encrypt with the bond's key: the central only.
  var owesEncryption = false
  var keyReply: LongTermKeyReply?
  /// What protects the link as soon as it is encrypted with the bond's key.
  var coming: LinkSecurity?
  /// When the controller's answer to that is given up.
  var encryptionDeadline: Instant?
  /// Whether this device is the central and the bond's key serves the link: see `isUnproven`.
  var hasOwnKey = false
  /// Why the link was not encrypted, until the client has learned of it.
  var encryptionFailure: HCIErrorCode?

  init() {}

  /// The device that failed attempts are counted for.
  var claimedAddress: DeviceAddress { identity ?? link.peerAddress }
}

/// A client whose link is encrypted with the key of its bond.
public enum ClientRecognition: Equatable, Sendable {
  /// Its bond is new.
  case new
  /// This is remembered of it.
  case known(ClientRecord)
}

/// What the central's controller needs to encrypt a link: the parameters of LE Enable Encryption.
///
/// Core Specification, Vol 4, Part E, 7.8.24.
public struct EncryptionStart: Equatable, Sendable {
  /// The key.
  public var longTermKey: Number128
  /// EDIV, by which the peripheral finds the key.
  public var encryptedDiversifier: UInt16
  /// Rand, by which the peripheral finds the key.
  public var randomNumber: UInt64

  /// The parameters of the command without the link.
  public init(longTermKey: Number128, encryptedDiversifier: UInt16, randomNumber: UInt64) {
    self.longTermKey = longTermKey
    self.encryptedDiversifier = encryptedDiversifier
    self.randomNumber = randomNumber
  }
}

/// The answer to the request of the peripheral's controller for a key.
///
/// Core Specification, Vol 4, Part E, 7.8.25 and 7.8.26.
public enum LongTermKeyReply: Equatable, Sendable {
  /// The key: LE Long Term Key Request Reply.
  case key(Number128)
  /// There is none: LE Long Term Key Request Negative Reply.
  case refusal
}
