// The calls of the program.
extension SecurityManager
where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// Encrypts the link at `index` with the key of the bond, or pairs if there is none. A peripheral
  /// requests this from the central. Does nothing if the link is already encrypted.
  ///
  /// - Returns: `false` if it cannot begin now: there is no link, pairing is not open, another peer
  ///   is pairing, the peer has to wait after failures, or the link's timer has expired.
  public mutating func secure(at index: Int, at now: Instant) -> Bool {
    guard isOpen(index) else { return false }
    if table[index].security.contains(.encrypted) || table[index].pendingSecurity != nil {
      return true
    }
    if isCentral(at: index), pairingIndex != index, usableBond(at: index) != nil {
      table[index].isEncryptionPending = true
      return true
    }
    return pair(at: index, at: now)
  }

  /// Pairs with the peer at `index`, even if there is a bond. A peripheral requests this from the
  /// central: Security Request.
  ///
  /// The new keys have at least the security of the bond that they replace.
  ///
  /// - Returns: `false` if it cannot begin now, as in `secure(at:at:)`.
  public mutating func pair(at index: Int, at now: Instant) -> Bool {
    guard isOpen(index), !table[index].hasTimedOut else { return false }
    if pairingIndex == index { return true }
    guard refusal(at: index, at: now) == nil else { return false }
    if isCentral(at: index) {
      beginPairing(at: index, at: now)
    } else {
      table[index].isSecurityRequestPending = true
      table[index].requestDeadline = now.advanced(by: 30_000)
      haveTimers = true
    }
    return true
  }

  /// Answers the prompt `compareNumber` or `confirmPairing`. Returns `false`, without an effect, if
  /// the link at `index` has no such prompt.
  public mutating func confirm(_ isConfirmed: Bool, at index: Int, at now: Instant) -> Bool {
    guard pairingIndex == index, pairing.confirm(isConfirmed, at: now) else { return false }
    settle(at: now)
    return true
  }

  /// Answers the prompt `enterPasskey` with 0 to 999,999, or `nil` if the user declines. Returns
  /// `false`, without an effect, if the link at `index` has no such prompt, or the number is out of
  /// range.
  public mutating func enterPasskey(_ passkey: UInt32?, at index: Int, at now: Instant) -> Bool {
    guard pairingIndex == index, pairing.enterPasskey(passkey, at: now) else { return false }
    settle(at: now)
    return true
  }
}
