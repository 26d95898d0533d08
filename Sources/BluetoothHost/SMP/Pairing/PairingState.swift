/// All that one pairing knows, secrets included. `overwrite` it with a new one to wipe them. It is not
/// copied, for copies would leave secrets behind on the stack.
struct PairingState: ~Copyable {
  /// What is awaited next.
  enum Phase: UInt8 {
    /// There is no pairing.
    case idle
    /// The initiator waits for Pairing Response.
    case response
    /// Secure Connections: the public keys are exchanged.
    case publicKey
    /// The peer's Pairing Confirm.
    case confirm
    /// The peer's Pairing Random.
    case random
    /// Secure Connections: the peer's DHKey Check.
    case check
    /// The link is to be encrypted with the new key.
    case encryption
    /// The keys are distributed.
    case keys
  }

  /// Which answer of the user is awaited.
  enum Question {
    case none, passkey, confirmation
  }

  /// What the key agreement works on.
  enum Work {
    case none, ownKey, sharedKey
  }

  var phase = Phase.idle
  /// When the last input came.
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

  /// The PDUs that wait for room.
  var owed = SMPCodeSet()
  /// The prompt that the owner has not seen yet.
  var prompt: PairingPrompt?
  var question = Question.none

  // Authentication.
  /// Counts the rounds of passkey entry with Secure Connections, 0 to 19.
  var round = 0
  /// The passkey, once it is known: the value TK, or r. Zero for the other models.
  var passkey: Number128?
  /// Whether this device has sent, or owes, its Confirm of this round; and then its Check.
  var isCommitted = false
  var ownNonce = Number128.zero
  var peerNonce = Number128.zero
  var ownConfirm = Number128.zero
  var peerConfirm = Number128.zero
  /// A Confirm or a Check that came before this device could answer it.
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
  /// Whether the controller should encrypt with `key`: the initiator only.
  var owesEncryption = false
  /// Whether the controller has got `key`.
  var isKeyGiven = false
  /// The keys still to be distributed by this device, and by the peer.
  var ownKeys = SMPCodeSet()
  var peerKeys = SMPCodeSet()
  /// The bond as far as it is known.
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
  /// No features: there is no pairing.
  static var none: PairingFeatures {
    PairingFeatures(
      ioCapability: .noInputNoOutput, authenticationRequirements: .none, initiatorKeys: .none,
      responderKeys: .none)
  }
}
