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
    case .initiator:
      guard initiatorConfirms, mayConfirm else { return }
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
