// Encryption of links by the controller, with keys of pairings and of bonds.
// Core Specification, Vol 3, Part H, 2.4.4; Vol 4, Part E, 7.8.24 to 7.8.26.
extension SecurityManager where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// The bond with the peer at `index`, if its key is valid for this link; `nil` if there is none.
  func usableBond(at index: Int) -> Bond? {
    guard let number = bondIndex(at: index), let bond = bonds.bond(at: number),
      bond.serves(table[index].link.role)
    else { return nil }
    return bond
  }

  /// Whether a command for the controller is pending: see `takeEncryption` and `takeKeyReply`.
  public func hasCommand(at index: Int) -> Bool {
    guard isOpen(index) else { return false }
    if table[index].keyReply != nil { return true }
    return isCentral(at: index)
      && (table[index].isEncryptionPending
        || (pairingIndex == index && pairing.isEncryptionPending))
  }

  /// The parameters with which the central's controller has to encrypt the link at `index`; `nil`
  /// if none are pending.
  public mutating func takeEncryption(at index: Int, at now: Instant) -> EncryptionStart? {
    guard isOpen(index), isCentral(at: index) else { return nil }
    if pairingIndex == index, let key = pairing.takeEncryptionKey() {
      table[index].isEncryptionPending = false
      return EncryptionStart(longTermKey: key, encryptedDiversifier: 0, randomNumber: 0)
    }
    guard table[index].isEncryptionPending else { return nil }
    table[index].isEncryptionPending = false
    guard let bond = usableBond(at: index) else {
      // Another bond has replaced it in the meantime.
      table[index].encryptionFailure = .pinOrKeyMissing
      return nil
    }
    table[index].pendingSecurity = bond.security
    table[index].encryptionDeadline = now.advanced(by: Self.encryptionTimeout)
    haveTimers = true
    return EncryptionStart(
      longTermKey: bond.longTermKey, encryptedDiversifier: bond.encryptedDiversifier,
      randomNumber: bond.randomNumber)
  }

  /// How long the controller may take to encrypt a link, in milliseconds: longer than the 40 s of
  /// its own timeout (Vol 6, Part B, 5.2).
  private static var encryptionTimeout: UInt32 { 45_000 }

  /// Encrypts the link of a bonded peer with the bond's key, unless a pairing under way does it.
  public mutating func encrypt(at index: Int) {
    guard requiresEncryption(at: index), pairingIndex != index, table[index].pendingSecurity == nil
    else { return }
    table[index].isEncryptionPending = true
  }

  /// Takes the reason why the link could not be encrypted; `nil` if there is none.
  public mutating func takeEncryptionFailure(at index: Int) -> HCIErrorCode? {
    guard isOpen(index), let failure = table[index].encryptionFailure else { return nil }
    table[index].encryptionFailure = nil
    return failure
  }

  /// The link at `index` could not be encrypted with the bond's key.
  mutating func bondEncryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    table[index].pendingSecurity = nil
    table[index].encryptionDeadline = nil
    if requiresEncryption(at: index) { table[index].encryptionFailure = reason }
    delegate.encryptionFailed(reason, at: index)
  }

  /// The controller of this peripheral requests the key of a link: LE Long Term Key Request.
  /// `takeKeyReply` has the answer.
  public mutating func keyRequested(
    encryptedDiversifier: UInt16, randomNumber: UInt64, at index: Int, at now: Instant
  ) {
    guard isOpen(index) else { return }
    // The peer starts encryption, as a Security Request asks.
    table[index].requestDeadline = nil
    table[index].pendingSecurity = nil
    let isUnnamed = encryptedDiversifier == 0 && randomNumber == 0
    if isUnnamed, pairingIndex == index, let key = pairing.keyForRequest() {
      table[index].keyReply = .key(key)
      return
    }
    if !isUnnamed,
      let number = bonds.index(
        encryptedDiversifier: encryptedDiversifier, randomNumber: randomNumber)
    {
      // The key's identifier finds a peer whose address cannot be resolved.
      noteBond(number, at: index)
    }
    guard let bond = usableBond(at: index), bond.encryptedDiversifier == encryptedDiversifier,
      bond.randomNumber == randomNumber
    else {
      table[index].keyReply = .negative
      return
    }
    table[index].keyReply = .key(bond.longTermKey)
    table[index].pendingSecurity = bond.security
  }

  /// The answer to the controller's key request for the link at `index`; `nil` if none is pending.
  public mutating func takeKeyReply(at index: Int) -> LongTermKeyReply? {
    guard isOpen(index) else { return nil }
    defer { overwrite(&table[index].keyReply, with: nil) }
    return table[index].keyReply
  }

  /// Encryption of the link at `index` was turned on or off, or failed: Encryption Change,
  /// Encryption Key Refresh Complete, or the refusal of LE Enable Encryption, which changes
  /// nothing.
  public mutating func encryptionChanged(
    _ status: HCIErrorCode, isEncrypted: Bool, at index: Int, at now: Instant
  ) {
    guard isOpen(index) else { return }
    // In any case the link has lost its security.
    if !isEncrypted, table[index].security.contains(.encrypted) { setSecurity(.none, at: index) }
    if pairingIndex == index {
      let security = pairing.security
      let concernsPairing = pairing.encryptionChanged(status, isEncrypted: isEncrypted, at: now)
      if concernsPairing, status == .success, isEncrypted { setSecurity(security, at: index) }
      settle(at: now)
      guard !concernsPairing else { return }
    }
    let newSecurity = table[index].pendingSecurity
    table[index].pendingSecurity = nil
    table[index].encryptionDeadline = nil
    if status != .success {
      if newSecurity != nil { bondEncryptionFailed(status, at: index) }
    } else if isEncrypted, let newSecurity {
      table[index].isProved = true
      setSecurity(newSecurity, at: index)
      if let number = bondIndex(at: index) {
        bonds.markUsed(at: number)
        bondsRenumbered()
      }
    }
  }

  private mutating func setSecurity(_ security: LinkSecurity, at index: Int) {
    var security = security.subtracting(.bonded)
    if table[index].identity != nil { security = security | .bonded }
    table[index].security = security
    if !security.contains(.encrypted) {
      recognizedClients.remove(index)
      activeClients.remove(index)
    }
    delegate.securityChanged(to: security, at: index)
  }
}

// The records of bonded clients: Core Specification, Vol 3, Part G, 2.5.2.1 and 3.3.3.3.
extension SecurityManager where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// Takes the record of the client at `index` after its link is encrypted with the key of its
  /// bond; `nil` before that, and after it was taken.
  public mutating func takeRecognition(at index: Int) -> ClientRecognition? {
    guard isOpen(index), !recognizedClients.contains(index), table[index].isProved,
      table[index].security.contains(.encrypted | .bonded), let number = bondIndex(at: index),
      let bond = bonds.bond(at: number)
    else { return nil }
    recognizedClients.insert(index)
    invalidateSaved(at: index)
    return bond.client.map { .known($0) } ?? .new
  }

  /// The server's state of these clients may have changed. Only noted for recognised clients.
  public mutating func noteActivity(of clients: ConnectionSet) {
    activeClients = activeClients.union(clients.intersection(recognizedClients))
  }

  /// Whether `state` of the client at `index` differs from the state last saved to its bond. The
  /// call records `state` as saved, and removes the client from `activeClients` in either case.
  public mutating func takeChange(of state: ClientState, at index: Int) -> Bool {
    activeClients.remove(index)
    guard isOpen(index), recognizedClients.contains(index), table[index].saved != state else {
      return false
    }
    table[index].saved = state
    return true
  }

  /// Stores `record` in the bond of the client at `index`. Does nothing if there is no bond, or it
  /// is unchanged.
  public mutating func save(_ record: ClientRecord, at index: Int) {
    guard let number = bondIndex(at: index), var bond = bonds.bond(at: number),
      bond.client != record
    else { return }
    bond.client = record
    bonds.store(bond)
    bondsRenumbered()
  }

  /// The bond's state may be out of date.
  mutating func invalidateSaved(at index: Int) {
    table[index].saved = nil
    noteActivity(of: ConnectionSet(index))
  }
}
