/// The pairing of two devices, from Pairing Request to the last key: a state machine without input
/// or output.
///
/// Core Specification, Vol 3, Part H, 2.3 to 2.4 and Appendix C. Its inputs are PDUs, the user's
/// answers, the controller's events and the time; its outputs are PDUs, prompts, a key for the
/// controller and an outcome:
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
public struct Pairing<
  Agreement: KeyAgreement & ~Copyable, Random: SecureRandomNumberGenerator
>: ~Copyable {
  /// The Security Manager Timer in milliseconds: Vol 3, Part H, 3.4.
  static var timeout: UInt32 { 30_000 }

  var agreement: Agreement
  /// The source of keys, nonces and passkeys.
  var random: Random
  var state = PairingState()
  private let pinned = Pinned()
  private var outcome: PairingOutcome?
  /// The pending reason for the peer after a failure on this device.
  private var pendingFailure: PairingFailure?

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
  public mutating func takeFailure() -> PairingFailure? {
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
  mutating func restartTimer() {
    state.deadline = state.now.advanced(by: Self.timeout)
  }

  /// Ends the pairing with a failure on this device.
  @inline(never)
  mutating func fail(_ reason: PairingFailure) {
    pendingFailure = reason
    end(.failed(reason))
  }

  /// Ends the pairing, and forgets everything but its outcome.
  @inline(never)
  mutating func end(_ outcome: PairingOutcome) {
    self.outcome = outcome
    wipe()
  }

  /// Overwrites every secret. Not inlined, since its stack space would add to that of its callers.
  @inline(never)
  private mutating func wipe() {
    overwrite(&state, with: PairingState())
    // 0 is no private key, so the agreement drops the key pair; each pairing has a new one.
    try? agreement.begin(privateKey: .zero)
  }
}
