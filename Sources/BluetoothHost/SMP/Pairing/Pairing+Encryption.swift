// Phase 3 begins when the link is encrypted with the new key. Core Specification, Vol 3, Part H, 2.4.
extension Pairing where Agreement: ~Copyable {
  /// The key is there. The initiator asks its controller to encrypt.
  mutating func awaitEncryption() {
    state.phase = .encryption
    state.owesEncryption = state.link.role == .initiator
  }

  /// Whether `takeEncryptionKey` has a key.
  public var owesEncryption: Bool { state.owesEncryption }

  /// The key with which the initiator's controller encrypts the link, with EDIV and Rand 0; `nil` if
  /// there is none, or no longer.
  public mutating func takeEncryptionKey() -> Number128? {
    guard state.owesEncryption else { return nil }
    state.owesEncryption = false
    state.isKeyGiven = true
    return state.key
  }

  /// The key for the request of the responder's controller, whose EDIV and Rand are 0; `nil` if there
  /// is none yet.
  public mutating func keyForRequest() -> Number128? {
    // The peer may encrypt only after it has all that it needs to know the key.
    guard state.phase == .encryption, state.link.role == .responder, state.owed.isEmpty else {
      return nil
    }
    state.isKeyGiven = true
    return state.key
  }

  /// What protects the link while it is encrypted with the new key.
  public var security: LinkSecurity {
    var security = state.bond.security
    security = security.subtracting(.bonded)
    return security
  }

  /// The controller has encrypted the link, or could not. Returns whether that was about the key of
  /// this pairing.
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
    // Keys travel on an encrypted link alone.
    if state.phase == .keys, status != .success || !isEncrypted { fail(.unspecifiedReason) }
    return false
  }
}
