/// What a Security Manager knows about one link.
struct SecuredLink {
  var isOpen = false
  var link = PairingLink(role: .responder, ownAddress: .zero, peerAddress: .zero)
  /// The identity address of the peer's bond; `nil` without a bond.
  var identity: DeviceAddress?
  /// Whether the peer has that bond's key: the link was encrypted with it, or has just made it.
  var isProved = false
  /// The current security of the link.
  var security: LinkSecurity = .none
  /// Whether the Security Manager Timer has expired: then the link cannot pair any more.
  var hasTimedOut = false

  // The server's state of the peer.
  /// The state stored in the bond; `nil` if it may be out of date.
  var saved: ClientState?

  // Pending for the peer.
  var pendingFailure: PairingFailure?
  var isSecurityRequestPending = false
  /// When the Security Request times out.
  var requestDeadline: Instant?

  // Pending for the controller.
  /// Whether the controller has to encrypt with the bond's key; only for the central.
  var isEncryptionPending = false
  var keyReply: LongTermKeyReply?
  /// The security of the link as soon as it is encrypted with the bond's key.
  var pendingSecurity: LinkSecurity?
  /// When the encryption with the bond's key times out.
  var encryptionDeadline: Instant?
  /// Whether this device is the central and the bond's key is valid for the link: see
  /// `requiresEncryption`.
  var hasOwnKey = false
  /// Why the link could not be encrypted, until the client gets it.
  var encryptionFailure: HCIErrorCode?

  init() {}

  /// The address for which failed attempts are counted.
  var claimedAddress: DeviceAddress { identity ?? link.peerAddress }
}

/// A client whose link is encrypted with the key of its bond.
public enum ClientRecognition: Equatable, Sendable {
  /// Its bond is new.
  case new
  /// Its bond has this record.
  case known(ClientRecord)
}

/// The parameters of LE Enable Encryption, with which the central's controller encrypts a link.
///
/// Core Specification, Vol 4, Part E, 7.8.24.
public struct EncryptionStart: Equatable, Sendable {
  /// The key.
  public var longTermKey: Number128
  /// EDIV, which identifies the key for the peripheral.
  public var encryptedDiversifier: UInt16
  /// Rand, which identifies the key for the peripheral.
  public var randomNumber: UInt64

  /// Creates the command's parameters without the link.
  public init(longTermKey: Number128, encryptedDiversifier: UInt16, randomNumber: UInt64) {
    self.longTermKey = longTermKey
    self.encryptedDiversifier = encryptedDiversifier
    self.randomNumber = randomNumber
  }
}

/// The answer to the key request of the peripheral's controller.
///
/// Core Specification, Vol 4, Part E, 7.8.25 and 7.8.26.
public enum LongTermKeyReply: Equatable, Sendable {
  /// The key: LE Long Term Key Request Reply.
  case key(Number128)
  /// There is none: LE Long Term Key Request Negative Reply.
  case refusal
}
