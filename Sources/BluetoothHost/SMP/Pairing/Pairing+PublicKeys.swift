// Secure Connections, phase 2: the public keys, and the shared key made from them in steps.
// Core Specification, Vol 3, Part H, 2.3.5.6.1.
extension Pairing where Agreement: ~Copyable {
  /// Begins a key pair of its own for this pairing. The public key follows after some steps.
  mutating func exchangePublicKeys() {
    state.phase = .publicKey
    // A number that is no private key is drawn once in 2³² times.
    for _ in 0..<4 {
      if (try? agreement.begin(privateKey: random.nextNumber())) != nil {
        state.work = .ownKey
        return
      }
    }
    fail(.unspecifiedReason)
  }

  /// Works a little while on the keys of Secure Connections. Nothing happens unless `needsStep`.
  public mutating func step(at now: Instant) {
    guard state.work != .none else { return }
    state.now = now
    guard let result = agreement.step() else {
      // An agreement that has lost its work would be waited for until the time is over.
      if !agreement.isBusy { fail(.unspecifiedReason) }
      return
    }
    switch (state.work, result) {
    case (.ownKey, .publicKey(let key)):
      state.work = .none
      state.ownKey = key
      if state.link.role == .initiator { owe(.pairingPublicKey) }
      continueWithPublicKeys()
    case (.sharedKey, .sharedKey(let key)):
      state.work = .none
      state.sharedKey = key
      continueChecks()
    default:
      fail(.unspecifiedReason)
    }
  }

  /// The peer's public key has come.
  mutating func receivePublicKey(_ pdu: PairingPublicKey) {
    state.peerKey = pdu.key
    continueWithPublicKeys()
  }

  /// With both keys there the shared key is begun, and the responder sends its own.
  private mutating func continueWithPublicKeys() {
    guard state.ownKey != nil, let peerKey = state.peerKey else { return }
    do {
      try agreement.begin(peer: peerKey)
    } catch .notOnCurve {
      // There is no DHKey to check with such a point.
      return fail(.dhKeyCheckFailed)
    } catch {
      // Our own X, or that of the debug key, whose private key is known.
      return fail(.invalidParameters)
    }
    state.work = .sharedKey
    if state.link.role == .responder { owe(.pairingPublicKey) }
    beginAuthentication()
  }
}
