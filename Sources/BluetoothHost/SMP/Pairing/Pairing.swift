/// The pairing of two devices, from Pairing Request to the last key: a state machine without input
/// or output. Core Specification, Vol 3, Part H, 2.3 to 2.4 and Appendix C. Its inputs are PDUs,
/// the user's answers, the controller's events and the time; its outputs are PDUs, prompts, a key
/// for the controller and an outcome:
///
///     pairing.begin(link, policy: policy, identity: identity, at: now)
///     while pairing.isActive {
///       while pairing.writePDU(to: &writer, at: now) { … send it … }
///       if let prompt = pairing.takePrompt() { … show it; later: confirm, enterPasskey … }
///       if let key = pairing.takeEncryptionKey() { … the controller encrypts the link … }
///       if pairing.needsStep { pairing.step(at: now) }
///       … wait for a PDU or an event, or until pairing.deadline …
///     }
///     let outcome = pairing.takeOutcome()
///
/// A value can be used for one pairing after another, in either role. `PairingRole` decides which
/// device commits and confirms first; the rest is common.
public struct Pairing<Agreement: KeyAgreement & ~Copyable, Random: SecureRandomNumberGenerator>:
  ~Copyable
{
  /// The Security Manager Timer in milliseconds: Vol 3, Part H, 3.4.
  static var timeout: UInt32 { 30_000 }

  var agreement: Agreement
  /// The source of keys, nonces and passkeys.
  var random: Random
  var state = PairingState()
  private let pinned = Pinned()
  private var outcome: PairingOutcome?
  /// The pending reason for the peer after a failure on this device.
  private var pendingFailure: PairingError?

  /// Creates a pairing that waits for `begin`.
  public init(agreement: consuming Agreement, random: Random) {
    self.agreement = agreement
    self.random = random
  }

  /// Whether a pairing is under way.
  public var isActive: Bool { state.phase != .idle }

  /// When to call `advance(to:)` next; `nil` without a pairing.
  public var deadline: Instant? { state.deadline }

  /// Whether `step(at:)` has something to do.
  public var needsStep: Bool { state.work != .none }

  /// Begins as the initiator, with a Pairing Request. A previous pairing is forgotten.
  public mutating func begin(
    _ link: PairingLink, policy: PairingPolicy, identity: LocalIdentity?, at now: Instant
  ) {
    start(link, policy: policy, identity: identity, at: now)
    state.ownFeatures = makeRequest()
    state.phase = .response
    enqueue(.pairingRequest)
  }

  /// Begins as the responder, with the parameters of a Pairing Request. A previous pairing is
  /// forgotten.
  public mutating func begin(
    _ link: PairingLink, policy: PairingPolicy, identity: LocalIdentity?,
    request parameters: Span<UInt8>, at now: Instant
  ) {
    start(link, policy: policy, identity: identity, at: now)
    guard let request = PairingRequest(parameters: parameters) else {
      return fail(.invalidParameters)
    }
    state.peerFeatures = request.features
    state.ownFeatures = makeResponse(to: request.features)
    enqueue(.pairingResponse)
    agree()
  }

  /// Ends the pairing if the peer has been silent for 30 s at `now`.
  public mutating func advance(to now: Instant) {
    guard let deadline = state.deadline, deadline <= now else { return }
    end(.timedOut)
  }

  /// The link has closed.
  public mutating func linkLost() {
    guard isActive else { return }
    end(.linkLost)
  }

  /// Takes the prompt for the user; `nil` if there is no new one.
  public mutating func takePrompt() -> PairingPrompt? {
    defer { state.prompt = nil }
    return state.prompt
  }

  /// Takes the outcome of the last pairing; `nil` if there is none, or it was taken.
  public mutating func takeOutcome() -> PairingOutcome? {
    defer { overwrite(&outcome, with: nil) }
    return outcome
  }

  /// Takes the reason for a Pairing Failed after a failure on this device; `nil` if there is none.
  public mutating func takeFailure() -> PairingError? {
    defer { pendingFailure = nil }
    return pendingFailure
  }

  // MARK: For the parts of the machine

  /// Begins a new pairing on `link`.
  private mutating func start(
    _ link: PairingLink, policy: PairingPolicy, identity: LocalIdentity?, at now: Instant
  ) {
    wipe()
    overwrite(&outcome, with: nil)
    pendingFailure = nil
    state.now = now
    state.link = link
    state.policy = policy
    state.identity = identity
    restartTimer()
  }

  /// Queues a PDU, and restarts the timer: Vol 3, Part H, 3.4.
  mutating func enqueue(_ code: SMPCode) {
    state.pendingPDUs.insert(code)
    restartTimer()
  }

  /// Restarts the timer, for a PDU received or queued.
  mutating func restartTimer() { state.deadline = state.now.advanced(by: Self.timeout) }

  /// Ends the pairing with a failure on this device.
  @inline(never) mutating func fail(_ reason: PairingError) {
    pendingFailure = reason
    end(.failed(reason))
  }

  /// Ends the pairing, and forgets everything but its outcome.
  @inline(never) mutating func end(_ outcome: PairingOutcome) {
    self.outcome = outcome
    wipe()
  }

  /// Overwrites every secret. Not inlined, since its stack space would add to that of its callers.
  @inline(never) private mutating func wipe() {
    overwrite(&state, with: PairingState())
    // 0 is not a private key, so the agreement drops the key pair; each pairing has a new one.
    try? agreement.begin(privateKey: .zero)
  }
}

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
  enum Question { case none, passkey, confirmation }

  /// The key that is being computed.
  enum Work { case none, ownKey, sharedKey }

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
