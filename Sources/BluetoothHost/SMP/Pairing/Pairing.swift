/// One pairing of two devices, from Pairing Request to the last key: a state machine without input or
/// output.
///
/// Core Specification, Vol 3, Part H, 2.3 to 2.4 and Appendix C. PDUs, the user's answers, the
/// controller's events and the time go in. PDUs, prompts, a key for the controller and an outcome come
/// out:
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
/// The same value serves one pairing after the other, in either role. What both roles do alike is
/// written once: a `PairingRole` decides who commits and who confirms first.
public struct Pairing<
  Agreement: KeyAgreement & ~Copyable, Random: SecureRandomNumberGenerator
>: ~Copyable {
  /// The Security Manager Timer in milliseconds: Vol 3, Part H, 3.4.
  static var patience: UInt32 { 30_000 }

  var agreement: Agreement
  /// Where keys, nonces and passkeys come from.
  var random: Random
  var state = PairingState()
  private let pinned = Pinned()
  private var outcome: PairingOutcome?
  /// What the peer has yet to learn of a pairing that failed here.
  private var owedFailure: PairingFailure?

  /// A pairing that waits for `begin`.
  public init(agreement: consuming Agreement, random: Random) {
    self.agreement = agreement
    self.random = random
  }

  /// Whether a pairing is under way.
  public var isActive: Bool { state.phase != .idle }

  /// When `advance(to:)` has to be called next; `nil` without a pairing.
  public var deadline: Instant? { state.deadline }

  /// Whether `step(at:)` has work to do.
  public var needsStep: Bool { state.work != .none }

  /// Begins as the initiator, which owes a Pairing Request. What was under way before is forgotten.
  public mutating func begin(
    _ link: PairingLink, policy: PairingPolicy, identity: LocalIdentity?, at now: Instant
  ) {
    start(link, policy: policy, identity: identity, at: now)
    state.ownFeatures = makeRequest()
    state.phase = .response
    owe(.pairingRequest)
  }

  /// Begins as the responder to the Pairing Request whose parameters follow the code. What was under
  /// way before is forgotten.
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
    owe(.pairingResponse)
    agree()
  }

  /// The time is `now`: a peer that has been silent for 30 s ends the pairing.
  public mutating func advance(to now: Instant) {
    guard let deadline = state.deadline, deadline <= now else { return }
    end(.timedOut)
  }

  /// The link has gone.
  public mutating func linkLost() {
    guard isActive else { return }
    end(.linkLost)
  }

  /// The owner ends the pairing; the peer gets the reason. Nothing happens without a pairing.
  public mutating func cancel(_ reason: PairingFailure) {
    guard isActive else { return }
    fail(reason)
  }

  /// What the user has to see or to answer; `nil` if there is nothing new.
  public mutating func takePrompt() -> PairingPrompt? {
    defer { state.prompt = nil }
    return state.prompt
  }

  /// How the last pairing ended; `nil` before that, and after it was taken.
  public mutating func takeOutcome() -> PairingOutcome? {
    defer { overwrite(&outcome, with: nil) }
    return outcome
  }

  /// What the peer has yet to learn of a pairing that failed here: the reason for a Pairing Failed.
  public mutating func takeFailure() -> PairingFailure? {
    defer { owedFailure = nil }
    return owedFailure
  }

  // MARK: For the parts of the machine

  /// A new pairing on `link`.
  private mutating func start(
    _ link: PairingLink, policy: PairingPolicy, identity: LocalIdentity?, at now: Instant
  ) {
    wipe()
    overwrite(&outcome, with: nil)
    owedFailure = nil
    state.now = now
    state.link = link
    state.policy = policy
    state.identity = identity
    restartTimer()
  }

  /// A PDU is to be sent as soon as there is room. The timer begins anew: Vol 3, Part H, 3.4.
  mutating func owe(_ code: SMPCode) {
    state.owed.insert(code)
    restartTimer()
  }

  /// A PDU has come, or is owed.
  mutating func restartTimer() {
    state.deadline = state.now.advanced(by: Self.patience)
  }

  /// This device ends the pairing.
  @inline(never)
  mutating func fail(_ reason: PairingFailure) {
    owedFailure = reason
    end(.failed(reason))
  }

  /// The pairing is over. Nothing of it is kept but its outcome.
  @inline(never)
  mutating func end(_ outcome: PairingOutcome) {
    self.outcome = outcome
    wipe()
  }

  /// Forgets every secret. Apart, for it takes room on the stack that its callers have no other use for.
  @inline(never)
  private mutating func wipe() {
    overwrite(&state, with: PairingState())
    // 0 is no private key: the agreement drops the key pair, and every pairing has a new one.
    try? agreement.begin(privateKey: .zero)
  }
}
