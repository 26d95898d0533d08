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
      ioCap: isOwn ? state.ownFeatures.ioCap : state.peerFeatures.ioCap,
      a1: isOwn ? own : peer, a2: isOwn ? peer : own)
  }
}
