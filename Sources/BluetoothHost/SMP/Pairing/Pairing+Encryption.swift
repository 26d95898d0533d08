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
    else {
      return nil
    }
    state.isKeyGiven = true
    return state.key
  }

  /// The security of the link while it is encrypted with the new key.
  public var security: LinkSecurity {
    var security = state.bond.security
    security = security.subtracting(.bonded)
    return security
  }

  /// Encryption of the link was turned on or off, or failed. Returns whether that concerns the key
  /// of this pairing.
  public mutating func encryptionChanged(
    _ status: HCIErrorCode, isEncrypted: Bool, at now: Instant
  ) -> Bool {
    guard isActive else { return false }
    state.now = now
    if state.phase == .encryption, state.isKeyGiven {
      if status == .success, isEncrypted {
        beginKeys()
      } else {
        end(.encryptionFailed(status))
      }
      return true
    }
    // Keys may only be sent on an encrypted link.
    if state.phase == .keys, status != .success || !isEncrypted { fail(.unspecifiedReason) }
    return false
  }
}
