// Phase 3: key distribution, first by the responder. Each side sends its keys in the order of their
// codes. Core Specification, Vol 3, Part H, 2.4.3 and 3.6.1.
extension Pairing where Agreement: ~Copyable {
  /// The link is encrypted: begins the distribution.
  mutating func beginKeys() {
    state.phase = .keys
    if state.isSecureConnections { state.bond.longTermKey = state.key }
    let isInitiator = state.link.role == .initiator
    // The response decides; it contains only keys of the request.
    let initiatorKeys = codes(of: state.responderFeatures.initiatorKeys)
    let responderKeys = codes(of: state.responderFeatures.responderKeys)
    state.ownKeys = isInitiator ? initiatorKeys : responderKeys
    state.peerKeys = isInitiator ? responderKeys : initiatorKeys
    if state.ownKeys.contains(.encryptionInformation) {
      state.bond.longTermKey = random.nextNumber()
      state.bond.encryptedDiversifier = UInt16(truncatingIfNeeded: random.next())
      state.bond.randomNumber = random.next()
      // EDIV and Rand 0 identify the keys of the pairing itself.
      if state.bond.randomNumber == 0 { state.bond.randomNumber = 1 }
    }
    continueKeys()
  }

  /// The PDUs that carry these keys.
  private func codes(of keys: KeyDistribution) -> SMPCodeSet {
    var codes = SMPCodeSet()
    if keys.contains(.encryptionKey), !state.isSecureConnections {
      codes.insert(.encryptionInformation)
      codes.insert(.centralIdentification)
    }
    if keys.contains(.identityKey) {
      codes.insert(.identityInformation)
      codes.insert(.identityAddressInformation)
    }
    return codes
  }

  /// Sends the next key if it is this device's turn; ends after the last.
  mutating func continueKeys() {
    guard state.phase == .keys, state.pendingPDUs.isEmpty else { return }
    if state.link.role == .initiator, !state.peerKeys.isEmpty { return }
    if let code = state.ownKeys.first {
      state.ownKeys.remove(code)
      enqueue(code)
    } else if state.peerKeys.isEmpty {
      complete()
    }
  }

  /// Takes the peer's long term key.
  mutating func receiveKey(_ pdu: EncryptionInformation) {
    state.bond.longTermKey = pdu.number
    received(.encryptionInformation)
  }

  /// Takes the identifier of the peer's long term key.
  mutating func receiveKey(_ pdu: CentralIdentification) {
    state.bond.encryptedDiversifier = pdu.encryptedDiversifier
    state.bond.randomNumber = pdu.randomNumber
    received(.centralIdentification)
  }

  /// The peer's identity resolving key.
  mutating func receiveKey(_ pdu: IdentityInformation) {
    let key = pdu.number
    state.bond.identityResolvingKey = key == .zero ? nil : key
    received(.identityInformation)
  }

  /// The peer's identity address.
  mutating func receiveKey(_ pdu: IdentityAddressInformation) {
    guard isPossible(pdu.address) else { return fail(.invalidParameters) }
    // An identity address on the link stays the peer's identity. A device may distribute its other
    // one, such as its public address on a link with a static random one.
    if !state.link.peerAddress.isIdentity { state.bond.identityAddress = pdu.address }
    received(.identityAddressInformation)
  }

  private mutating func received(_ code: SMPCode) {
    state.peerKeys.remove(code)
    continueKeys()
  }

  /// Whether the peer can have this identity address: it is a valid one, it is not this device's,
  /// and the key that came with it resolves the private address on the link. Vol 3, Part H, 3.6.5.
  private func isPossible(_ identity: DeviceAddress) -> Bool {
    guard identity.isValidIdentity, identity != state.link.ownAddress,
      identity != state.identity?.address
    else { return false }
    let address = state.link.peerAddress
    guard address.isResolvable, let key = state.bond.identityResolvingKey else { return true }
    return address.isResolved(by: key)
  }

  /// Ends the pairing after the last key.
  private mutating func complete() {
    let bonds =
      state.ownFeatures.authenticationRequirements.isBonding
      && state.peerFeatures.authenticationRequirements.isBonding
    let hasKey =
      state.isSecureConnections
      || state.responderFeatures.responderKeys.contains(.encryptionKey)
    // Without an identity, a bond with a private address is useless after the address changes,
    // unless EDIV and Rand identify its key.
    let address = state.bond.identityAddress
    let isRecognizable =
      isPossible(address) || (!state.isSecureConnections && !address.isIdentity)
    end(.paired(bonds && hasKey && isRecognizable ? state.bond : nil))
  }
}
