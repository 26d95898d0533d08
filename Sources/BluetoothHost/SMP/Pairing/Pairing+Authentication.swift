// Secure Connections, phase 2: the public keys, and the computation of the shared key in steps.
// Core Specification, Vol 3, Part H, 2.3.5.6.1.
extension Pairing where Agreement: ~Copyable {
  /// Begins a new key pair for this pairing. Its public key takes several steps.
  mutating func exchangePublicKeys() {
    state.phase = .publicKey
    // A random number is an invalid private key once in 2³² times.
    for _ in 0..<4 {
      if (try? agreement.begin(privateKey: random.nextNumber())) != nil {
        state.work = .ownKey
        return
      }
    }
    fail(.unspecifiedReason)
  }

  /// Does a short step of the key computation. Does nothing unless `needsStep`.
  public mutating func step(at now: Instant) {
    guard state.work != .none else { return }
    state.now = now
    guard let result = agreement.step() else {
      // The agreement has lost its computation; waiting would only end at the timeout.
      if !agreement.isBusy { fail(.unspecifiedReason) }
      return
    }
    switch (state.work, result) {
    case (.ownKey, .publicKey(let key)):
      state.work = .none
      state.ownKey = key
      if state.link.role == .initiator { enqueue(.pairingPublicKey) }
      continueWithPublicKeys()
    case (.sharedKey, .sharedKey(let key)):
      state.work = .none
      state.sharedKey = key
      continueChecks()
    default: fail(.unspecifiedReason)
    }
  }

  /// Takes the peer's public key.
  mutating func receivePublicKey(_ pdu: PairingPublicKey) {
    state.peerKey = pdu.key
    continueWithPublicKeys()
  }

  /// With both public keys, begins the shared key; the responder then sends its own.
  private mutating func continueWithPublicKeys() {
    guard state.ownKey != nil, let peerKey = state.peerKey else { return }
    do { try agreement.begin(peer: peerKey) } catch .notOnCurve {
      // Such a point has no DHKey to check.
      return fail(.dhKeyCheckFailed)
    } catch {
      // Our own X, or the debug key's, with its known private key.
      return fail(.invalidParameters)
    }
    state.work = .sharedKey
    if state.link.role == .responder { enqueue(.pairingPublicKey) }
    beginAuthentication()
  }
}

// Phase 2: each device commits to a random number, and then reveals it. Legacy pairing and Secure
// Connections have the same exchange with different functions. Passkey entry with Secure
// Connections repeats it for each of the 20 bits of the passkey. Core Specification, Vol 3, Part H,
// 2.3.5.5, 2.3.5.6.2 and 2.3.5.6.3.
extension Pairing where Agreement: ~Copyable {
  /// The number of bits of a passkey.
  private static var passkeyRounds: Int { 20 }

  /// Whether the initiator commits too. In Secure Connections without a passkey, only the responder
  /// does.
  private var initiatorConfirms: Bool { !state.isSecureConnections || state.model.usesPasskey }

  /// Whether the user's input for a confirm value is complete.
  private var mayConfirm: Bool {
    guard state.passkey != nil else { return false }
    return state.isSecureConnections || state.question == .none
  }

  /// Shows the association model's prompt, and begins the exchange.
  mutating func beginAuthentication() {
    if !state.model.usesPasskey {
      state.passkey = .zero
      if state.model == .justWorks, state.policy.confirmsJustWorks {
        ask(.confirmation, .confirmPairing)
      }
    } else if state.model.showsPasskey(as: state.link.role) {
      // A new one each time: an observer of a pairing learns the passkey.
      let passkey = UInt32.random(in: 0..<1_000_000, using: &random)
      state.passkey = Number128(passkey: passkey)
      state.prompt = .showPasskey(passkey)
    } else {
      ask(.passkey, .enterPasskey)
    }
    beginRound()
  }

  /// Begins one exchange.
  private mutating func beginRound() {
    state.phase = .confirm
    confirm()
  }

  /// Commits to the random number when it is this device's turn and the user's input is complete.
  mutating func confirm() {
    guard state.phase == .confirm, !state.isCommitted else { return }
    switch state.link.role {
    case .initiator: guard initiatorConfirms, mayConfirm else { return }
    case .responder:
      if initiatorConfirms {
        guard mayConfirm, let held = state.held else { return }
        state.peerConfirm = held
        state.held = nil
      }
      state.phase = .random
    }
    // Not earlier: until now, the random number of the previous round may still have been pending.
    state.ownNonce = random.nextNumber()
    state.ownConfirm = confirmValue(of: .own)
    state.isCommitted = true
    enqueue(.pairingConfirm)
  }

  /// Takes the peer's confirm value.
  mutating func receiveConfirm(_ pdu: PairingConfirm) {
    switch state.link.role {
    case .initiator:
      if !initiatorConfirms {
        state.ownNonce = random.nextNumber()
      } else if !state.isCommitted {
        return fail(.unspecifiedReason)
      } else if pdu.number == state.ownConfirm {
        // A peer that returns our own value does not know the key: Vol 3, Part H, 2.3.5.5.
        return fail(.confirmValueFailed)
      }
      state.peerConfirm = pdu.number
      state.phase = .random
      enqueue(.pairingRandom)
    case .responder:
      guard state.held == nil else { return fail(.unspecifiedReason) }
      state.held = pdu.number
      confirm()
    }
  }

  /// Takes the peer's random number.
  mutating func receiveRandom(_ pdu: PairingRandom) {
    state.peerNonce = pdu.number
    if state.link.role == .initiator || initiatorConfirms {
      guard state.peerConfirm == confirmValue(of: .peer) else { return fail(.confirmValueFailed) }
    }
    if state.link.role == .responder { enqueue(.pairingRandom) }
    state.isCommitted = false
    state.round &+= 1
    if !state.isSecureConnections {
      makeShortTermKey()
    } else if state.model.usesPasskey, state.round < Self.passkeyRounds {
      beginRound()
    } else {
      beginChecks()
    }
  }

  /// The side of a value.
  enum Side { case own, peer }

  /// The confirm value of one side's random number.
  private func confirmValue(of side: Side) -> Number128 {
    let nonce = side == .own ? state.ownNonce : state.peerNonce
    let passkey = state.passkey ?? .zero
    guard state.isSecureConnections else {
      return PairingFunctions.c1(
        k: passkey, r: nonce, preq: PairingRequest(state.initiatorFeatures).bytes,
        pres: PairingResponse(state.responderFeatures).bytes, initiator: state.initiatorAddress,
        responder: state.responderAddress)
    }
    guard let own = state.ownKey, let peer = state.peerKey else { return .zero }
    var z: UInt8 = 0
    if state.model.usesPasskey {
      z = 0x80 | UInt8(truncatingIfNeeded: passkey.words[0] &>> UInt32(state.round)) & 1
    }
    return side == .own
      ? PairingFunctions.f4(u: own.x, v: peer.x, x: nonce, z: z)
      : PairingFunctions.f4(u: peer.x, v: own.x, x: nonce, z: z)
  }

  /// Computes the key for the first encryption in legacy pairing.
  private mutating func makeShortTermKey() {
    let isInitiator = state.link.role == .initiator
    state.key = PairingFunctions.s1(
      k: state.passkey ?? .zero, r1: isInitiator ? state.peerNonce : state.ownNonce,
      r2: isInitiator ? state.ownNonce : state.peerNonce)
    awaitEncryption()
  }
}

// Secure Connections, phase 2, stage 2: both devices prove that they have the same shared key and
// have received the same features. Core Specification, Vol 3, Part H, 2.3.5.6.5.
extension Pairing where Agreement: ~Copyable {
  /// Begins after the exchange of random numbers. In numeric comparison the user now compares.
  mutating func beginChecks() {
    state.phase = .check
    if state.model == .numericComparison { ask(.confirmation, .compareNumber(comparedNumber)) }
    continueChecks()
  }

  /// Six digits, equal on both devices unless there is a man in the middle: Vol 3, Part H, 2.2.9.
  private var comparedNumber: UInt32 {
    guard let own = state.ownKey, let peer = state.peerKey else { return 0 }
    let isInitiator = state.link.role == .initiator
    let value =
      isInitiator
      ? PairingFunctions.g2(u: own.x, v: peer.x, x: state.ownNonce, y: state.peerNonce)
      : PairingFunctions.g2(u: peer.x, v: own.x, x: state.peerNonce, y: state.ownNonce)
    return value % 1_000_000
  }

  /// Continues when the shared key is computed and the user has confirmed.
  mutating func continueChecks() {
    guard state.phase == .check, state.question == .none, let sharedKey = state.sharedKey else {
      return
    }
    if state.macKey == nil { makeKeys(from: sharedKey) }
    switch state.link.role {
    case .initiator:
      guard !state.isCommitted else { return }
      state.isCommitted = true
      enqueue(.pairingDHKeyCheck)
    case .responder:
      guard let held = state.held else { return }
      state.held = nil
      guard held == check(of: .peer) else { return fail(.dhKeyCheckFailed) }
      enqueue(.pairingDHKeyCheck)
      awaitEncryption()
    }
  }

  /// Takes the peer's check value.
  mutating func receiveCheck(_ pdu: PairingDHKeyCheck) {
    switch state.link.role {
    case .initiator:
      guard state.isCommitted else { return fail(.unspecifiedReason) }
      guard pdu.number == check(of: .peer) else { return fail(.dhKeyCheckFailed) }
      awaitEncryption()
    case .responder:
      guard state.held == nil else { return fail(.unspecifiedReason) }
      state.held = pdu.number
      continueChecks()
    }
  }

  private mutating func makeKeys(from sharedKey: Number256) {
    let isInitiator = state.link.role == .initiator
    let keys = PairingFunctions.f5(
      w: sharedKey, n1: isInitiator ? state.ownNonce : state.peerNonce,
      n2: isInitiator ? state.peerNonce : state.ownNonce, a1: state.initiatorAddress,
      a2: state.responderAddress)
    state.macKey = keys.macKey
    state.key = keys.ltk
  }

  /// The check value of one side.
  func check(of side: Side) -> Number128 {
    let isOwn = side == .own
    let own = state.link.ownAddress
    let peer = state.link.peerAddress
    return PairingFunctions.f6(
      w: state.macKey ?? .zero, n1: isOwn ? state.ownNonce : state.peerNonce,
      n2: isOwn ? state.peerNonce : state.ownNonce, r: state.passkey ?? .zero,
      ioCap: isOwn ? state.ownFeatures.ioCap : state.peerFeatures.ioCap, a1: isOwn ? own : peer,
      a2: isOwn ? peer : own)
  }
}

// The user's prompts and answers. Core Specification, Vol 3, Part H, 2.3.5.
extension Pairing where Agreement: ~Copyable {
  /// Shows `prompt`, and waits for its answer.
  mutating func ask(_ question: PairingState.Question, _ prompt: PairingPrompt) {
    state.question = question
    state.prompt = prompt
  }

  /// Takes the user's answer to a comparison or to a request to pair. Returns `false`, without an
  /// effect, if there is no such prompt.
  public mutating func confirm(_ isConfirmed: Bool, at now: Instant) -> Bool {
    guard state.question == .confirmation else { return false }
    state.now = now
    guard isConfirmed else {
      fail(state.model == .numericComparison ? .numericComparisonFailed : .unspecifiedReason)
      return true
    }
    state.question = .none
    confirm()
    continueChecks()
    return true
  }

  /// Takes the passkey that the user entered, or `nil` if the user declines. Returns `false`,
  /// without an effect, if there is no such prompt, or the number is not 0 to 999,999.
  public mutating func enterPasskey(_ passkey: UInt32?, at now: Instant) -> Bool {
    guard state.question == .passkey else { return false }
    state.now = now
    guard let passkey else {
      fail(.passkeyEntryFailed)
      return true
    }
    guard passkey < 1_000_000 else { return false }
    state.question = .none
    state.passkey = Number128(passkey: passkey)
    confirm()
    return true
  }
}

extension Number128 {
  /// A passkey as TK or r: Vol 3, Part H, 2.3.5.2 and 2.3.5.6.3.
  init(passkey: UInt32) { self.init(words: [passkey, 0, 0, 0]) }
}
