// What the owner asks for and answers.
extension SecurityManager
where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// Encrypts the link at `index` with the key of the bond, or pairs if there is none. A peripheral asks
  /// the central to do so. Nothing happens if the link is encrypted already.
  ///
  /// - Returns: `false` if it cannot begin now: there is no link, pairing is closed, another peer pairs,
  ///   the peer has to wait after failures, or the link's timer has run out.
  public mutating func secure(at index: Int, at now: Instant) -> Bool {
    guard isOpen(index) else { return false }
    if table[index].security.contains(.encrypted) || table[index].coming != nil { return true }
    if isCentral(at: index), pairingIndex != index, usableBond(at: index) != nil {
      table[index].owesEncryption = true
      return true
    }
    return pair(at: index, at: now)
  }

  /// Pairs with the peer at `index`, whether or not there is a bond. A peripheral asks the central to
  /// do so: Security Request.
  ///
  /// The new keys have at least the protection of the bond that they replace.
  ///
  /// - Returns: `false` if it cannot begin now, as in `secure(at:at:)`.
  public mutating func pair(at index: Int, at now: Instant) -> Bool {
    guard isOpen(index), !table[index].isSilenced else { return false }
    if pairingIndex == index { return true }
    guard refusal(at: index, at: now) == nil else { return false }
    if isCentral(at: index) {
      beginPairing(at: index, at: now)
    } else {
      table[index].owesSecurityRequest = true
      table[index].requestDeadline = now.advanced(by: 30_000)
    }
    return true
  }

  /// The user answers the prompt `compareNumber` or `confirmPairing`. Returns `false`, and nothing
  /// happens, if the link at `index` has no such prompt.
  public mutating func confirm(_ isConfirmed: Bool, at index: Int, at now: Instant) -> Bool {
    guard pairingIndex == index, pairing.confirm(isConfirmed, at: now) else { return false }
    settle(at: now)
    return true
  }

  /// The user answers the prompt `enterPasskey` with 0 to 999,999; or, with `nil`, does not want to.
  /// Returns `false`, and nothing happens, if the link at `index` has no such prompt, or if the number
  /// is out of its range.
  public mutating func enterPasskey(_ passkey: UInt32?, at index: Int, at now: Instant) -> Bool {
    guard pairingIndex == index, pairing.enterPasskey(passkey, at: now) else { return false }
    settle(at: now)
    return true
  }

  /// Ends the pairing at `index`, such as when the time in which pairing is open is over. Nothing
  /// happens if there is none.
  public mutating func cancelPairing(at index: Int, at now: Instant) {
    guard pairingIndex == index else { return }
    pairing.cancel(.unspecifiedReason)
    settle(at: now)
  }
}
