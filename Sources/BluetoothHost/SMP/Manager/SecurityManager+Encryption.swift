// The controller's part: it encrypts links with keys of pairings and of bonds.
// Core Specification, Vol 3, Part H, 2.4.4; Vol 4, Part E, 7.8.24 to 7.8.26.
extension SecurityManager
where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// The bond with the peer at `index`, if its key serves this link; `nil` if there is none.
  func usableBond(at index: Int) -> Bond? {
    guard let number = bondIndex(at: index), let bond = bonds.bond(at: number),
      bond.serves(table[index].link.role)
    else { return nil }
    return bond
  }

  /// Whether a command for the controller is owed: `takeEncryption` or `takeKeyReply` has one.
  public func owesCommand(at index: Int) -> Bool {
    guard isOpen(index) else { return false }
    if table[index].keyReply != nil { return true }
    return isCentral(at: index)
      && (table[index].owesEncryption || (pairingIndex == index && pairing.owesEncryption))
  }

  /// What the central's controller shall encrypt the link at `index` with; `nil` if nothing is owed.
  public mutating func takeEncryption(at index: Int, at now: Instant) -> EncryptionStart? {
    guard isOpen(index), isCentral(at: index) else { return nil }
    if pairingIndex == index, let key = pairing.takeEncryptionKey() {
      table[index].owesEncryption = false
      return EncryptionStart(longTermKey: key, encryptedDiversifier: 0, randomNumber: 0)
    }
    guard table[index].owesEncryption else { return nil }
    table[index].owesEncryption = false
    guard let bond = usableBond(at: index) else {
      // Another bond has taken its place meanwhile.
      table[index].encryptionFailure = .pinOrKeyMissing
      return nil
    }
    table[index].coming = bond.security
    table[index].encryptionDeadline = now.advanced(by: Self.encryptionPatience)
    return EncryptionStart(
      longTermKey: bond.longTermKey, encryptedDiversifier: bond.encryptedDiversifier,
      randomNumber: bond.randomNumber)
  }

  /// How long the controller may take to encrypt a link, in milliseconds: longer than the 40 s after which
  /// it gives the peer up itself (Vol 6, Part B, 5.2).
  private static var encryptionPatience: UInt32 { 45_000 }

  /// Has an unproven link encrypted with the bond's key. A pairing under way encrypts it too.
  public mutating func prove(at index: Int) {
    guard isUnproven(at: index), pairingIndex != index, table[index].coming == nil else { return }
    table[index].owesEncryption = true
  }

  /// Why an unproven link was not encrypted; `nil` if it was, or if this has been taken.
  public mutating func takeEncryptionFailure(at index: Int) -> HCIErrorCode? {
    guard isOpen(index), let failure = table[index].encryptionFailure else { return nil }
    table[index].encryptionFailure = nil
    return failure
  }

  /// The link at `index` could not be encrypted with the bond's key.
  mutating func bondEncryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    table[index].coming = nil
    table[index].encryptionDeadline = nil
    if isUnproven(at: index) { table[index].encryptionFailure = reason }
    delegate.encryptionFailed(reason, at: index)
  }

  /// The controller of this peripheral asks for the key of a link: LE Long Term Key Request. The answer
  /// follows by `takeKeyReply`.
  public mutating func keyRequested(
    encryptedDiversifier: UInt16, randomNumber: UInt64, at index: Int, at now: Instant
  ) {
    guard isOpen(index) else { return }
    // The peer encrypts, as a Security Request asks.
    table[index].requestDeadline = nil
    table[index].coming = nil
    let isUnnamed = encryptedDiversifier == 0 && randomNumber == 0
    if isUnnamed, pairingIndex == index, let key = pairing.keyForRequest() {
      table[index].keyReply = .key(key)
      return
    }
    if !isUnnamed,
      let number = bonds.index(
        encryptedDiversifier: encryptedDiversifier, randomNumber: randomNumber)
    {
      // The name of the key finds a peer whose address cannot be resolved.
      noteBond(number, at: index)
    }
    guard let bond = usableBond(at: index), bond.encryptedDiversifier == encryptedDiversifier,
      bond.randomNumber == randomNumber
    else {
      table[index].keyReply = .refusal
      return
    }
    table[index].keyReply = .key(bond.longTermKey)
    table[index].coming = bond.security
  }

  /// The answer to the controller's request for the key of the link at `index`; `nil` if none is owed.
  public mutating func takeKeyReply(at index: Int) -> LongTermKeyReply? {
    guard isOpen(index) else { return nil }
    defer { overwrite(&table[index].keyReply, with: nil) }
    return table[index].keyReply
  }

  /// The link at `index` is encrypted, or no longer, or could not be: Encryption Change, Encryption Key
  /// Refresh Complete, or the refusal of LE Enable Encryption, which changes nothing.
  public mutating func encryptionChanged(
    _ status: HCIErrorCode, isEncrypted: Bool, at index: Int, at now: Instant
  ) {
    guard isOpen(index) else { return }
    // Whatever comes of it: nothing is believed of a link that was encrypted.
    if !isEncrypted, table[index].security.contains(.encrypted) { setSecurity(.none, at: index) }
    if pairingIndex == index {
      let security = pairing.security
      let isPairings = pairing.encryptionChanged(status, isEncrypted: isEncrypted, at: now)
      if isPairings, status == .success, isEncrypted { setSecurity(security, at: index) }
      settle(at: now)
      guard !isPairings else { return }
    }
    let coming = table[index].coming
    table[index].coming = nil
    table[index].encryptionDeadline = nil
    if status != .success {
      if coming != nil { bondEncryptionFailed(status, at: index) }
    } else if isEncrypted, let coming {
      setSecurity(coming, at: index)
      if let number = bondIndex(at: index) {
        bonds.markUsed(at: number)
        bondsMoved()
      }
    }
  }

  private mutating func setSecurity(_ security: LinkSecurity, at index: Int) {
    var security = security
    security = security.subtracting(.bonded)
    if table[index].identity != nil { security = security | .bonded }
    table[index].security = security
    if !security.contains(.encrypted) {
      table[index].isRecognized = false
      activeClients.remove(index)
    }
    delegate.securityChanged(to: security, at: index)
  }
}
