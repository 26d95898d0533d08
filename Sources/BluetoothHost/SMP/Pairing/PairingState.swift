/// The state of one pairing with its secrets. `overwrite` it with a new value to wipe them. It
/// cannot be copied, since copies would leave secrets on the stack.
struct PairingState: ~Copyable {
  /// The next expected step.
  enum Phase: UInt8 {
    /// There is no pairing.
    case idle
    /// The initiator waits for Pairing Response.
    case response
    /// Secure Connections: the public keys are exchanged.
    case publicKey
    /// It waits for the peer's Pairing Confirm.
    case confirm
    /// It waits for the peer's Pairing Random.
    case random
    /// Secure Connections: it waits for the peer's DHKey Check.
    case check
    /// It waits until the link is encrypted with the new key.
    case encryption
    /// The keys are distributed.
    case keys
  }

  /// The expected answer of the user.
  enum Question {
    case none, passkey, confirmation
  }

  /// The key that is being computed.
  enum Work {
    case none, ownKey, sharedKey
  }

  var phase = Phase.idle
  /// The time of the last input.
  var now = Instant(rawValue: 0)
  /// 30 s after the last PDU; `nil` without a pairing.
  var deadline: Instant?

  var link = PairingLink(role: .responder, ownAddress: .zero, peerAddress: .zero)
  var policy = PairingPolicy()
  var identity: LocalIdentity?
  var ownFeatures = PairingFeatures.none
  var peerFeatures = PairingFeatures.none
  var isSecureConnections = false
  var model = AssociationModel.justWorks

  /// The PDUs to send.
  var pendingPDUs = SMPCodeSet()
  /// The prompt that the program has not taken yet.
  var prompt: PairingPrompt?
  var question = Question.none

  // Authentication.
  /// The round of passkey entry with Secure Connections, 0 to 19.
  var round = 0
  /// The passkey when it is known: the value TK, or r. Zero for the other models.
  var passkey: Number128?
  /// Whether this device has sent or queued its Confirm of this round, or later its Check.
  var isCommitted = false
  var ownNonce = Number128.zero
  var peerNonce = Number128.zero
  var ownConfirm = Number128.zero
  var peerConfirm = Number128.zero
  /// A Confirm or a Check that arrived before this device could answer it.
  var held: Number128?

  // Secure Connections.
  var work = Work.none
  var ownKey: P256PublicKey?
  var peerKey: P256PublicKey?
  var sharedKey: Number256?
  var macKey: Number128?

  // Keys.
  /// The short term key of legacy pairing, or the long term key of Secure Connections.
  var key = Number128.zero
  /// Whether the controller has to encrypt with `key`; only for the initiator.
  var isEncryptionPending = false
  /// Whether the controller has got `key`.
  var isKeyGiven = false
  /// The keys that this device, and the peer, still have to distribute.
  var ownKeys = SMPCodeSet()
  var peerKeys = SMPCodeSet()
  /// The new bond, as far as it is known.
  var bond = Bond()

  init() {}

  var initiatorFeatures: PairingFeatures { link.role == .initiator ? ownFeatures : peerFeatures }
  var responderFeatures: PairingFeatures { link.role == .initiator ? peerFeatures : ownFeatures }
  var initiatorAddress: DeviceAddress {
    link.role == .initiator ? link.ownAddress : link.peerAddress
  }
  var responderAddress: DeviceAddress {
    link.role == .initiator ? link.peerAddress : link.ownAddress
  }
}

extension PairingFeatures {
  /// No features, without a pairing.
  static var none: PairingFeatures {
    PairingFeatures(
      ioCapability: .noInputNoOutput, authenticationRequirements: .none, initiatorKeys: .none,
      responderKeys: .none)
  }
}
