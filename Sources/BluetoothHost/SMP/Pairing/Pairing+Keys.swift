// Phase 3 begins when the link is encrypted with the new key. Core Specification, Vol 3, Part H,
// 2.4.
extension Pairing where Agreement: ~Copyable {
  /// The key is computed. The initiator has to start encryption.
  mutating func awaitEncryption() {
    state.phase = .encryption
    state.isEncryptionPending = state.link.role == .initiator
  }

  /// Whether `takeEncryptionKey` has a key.
  public var isEncryptionPending: Bool { state.isEncryptionPending }

  /// The key with which the initiator's controller encrypts the link, with EDIV and Rand 0; `nil`
  /// if there is none, or it was taken.
  public mutating func takeEncryptionKey() -> Number128? {
    guard state.isEncryptionPending else { return nil }
    state.isEncryptionPending = false
    state.isKeyGiven = true
    return state.key
  }

  /// The key for the request of the responder's controller, with EDIV and Rand 0; `nil` if there is
  /// none yet.
  public mutating func keyForRequest() -> Number128? {
    // The peer can know the key only after it has got every pending PDU.
    guard state.phase == .encryption, state.link.role == .responder, state.pendingPDUs.isEmpty
    else { return nil }
    state.isKeyGiven = true
    return state.key
  }

  /// The security of the link while it is encrypted with the new key.
  public var security: LinkSecurity { state.bond.security.subtracting(.bonded) }

  /// Encryption of the link was turned on or off, or failed. Returns whether that concerns the key
  /// of this pairing.
  public mutating func encryptionChanged(_ status: HCIErrorCode, isEncrypted: Bool, at now: Instant)
    -> Bool
  {
    guard isActive else { return false }
    state.now = now
    if state.phase == .encryption, state.isKeyGiven {
      if status == .success, isEncrypted { beginKeys() } else { end(.encryptionFailed(status)) }
      return true
    }
    // Keys may only be sent on an encrypted link.
    if state.phase == .keys, status != .success || !isEncrypted { fail(.unspecifiedReason) }
    return false
  }
}

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
      state.isSecureConnections || state.responderFeatures.responderKeys.contains(.encryptionKey)
    // Without an identity, a bond with a private address is useless after the address changes,
    // unless EDIV and Rand identify its key.
    let address = state.bond.identityAddress
    let isRecognizable = isPossible(address) || (!state.isSecureConnections && !address.isIdentity)
    end(.paired(bonds && hasKey && isRecognizable ? state.bond : nil))
  }
}
