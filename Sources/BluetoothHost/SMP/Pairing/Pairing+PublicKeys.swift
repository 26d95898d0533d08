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
    default:
      fail(.unspecifiedReason)
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
    do {
      try agreement.begin(peer: peerKey)
    } catch .notOnCurve {
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
