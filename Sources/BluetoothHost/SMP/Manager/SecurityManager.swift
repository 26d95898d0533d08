/// The Security Manager of a host with up to `links` connections: it pairs one peer at a time,
/// stores bonds, and encrypts links with their keys. Core Specification, Vol 3, Part H. It does no
/// input or output. The host passes it PDUs of the Security Manager's channel, events of the
/// controller and the time, and gets PDUs (`writePDU`), commands (`takeEncryption`, `takeKeyReply`)
/// and steps of the key agreement (`step`).
///
/// While one peer pairs, another one gets Repeated Attempts, which makes it try again later
/// (Vol 3, Part H, 3.5.5, Table 3.7): a host stores the secrets of one pairing only.
public struct SecurityManager<
  let links: Int, Agreement: KeyAgreement & ~Copyable, Random: SecureRandomNumberGenerator,
  Bonds: BondStore & ~Copyable, Delegate: PairingDelegate & ~Copyable
>: ~Copyable {
  /// The requirements for the next pairing.
  public var policy: PairingPolicy
  /// The identity of this device; `nil` if it distributes no identity.
  public var identity: LocalIdentity?
  /// The security of each new link: `.none` if this manager secures it. Where a daemon secures the links of a radio,
  /// and refuses what a link is too weak for, each has all of it here, and bonds are not used.
  public var linkSecurity = LinkSecurity.none
  /// The bonds. Remove one with `removeBond(at:)`, which updates the links.
  public var bonds: Bonds
  /// Whether this device uses private addresses, and which devices may connect.
  public var privacy = PrivacyPolicy() { didSet { if privacy != oldValue { upkeep.restart() } } }
  /// The program that uses the manager.
  public var delegate: Delegate

  var pairing: Pairing<Agreement, Random>
  /// The connection that is pairing; `nil` if there is none. Only one can pair at a time.
  public internal(set) var pairingIndex: Int?
  var limiter = AttemptLimiter<8>()
  /// A PDU that needs several packets, and its connection. Only the connection that is pairing
  /// sends PDUs of more than 2 bytes.
  var outbox = ByteBuffer<65>()
  var outboxIndex: Int?
  /// The time of the last call.
  var now = Instant(rawValue: 0)
  /// Whether the controller has refused a random number since its set-up.
  var refusesRandomNumbers = false
  /// Whether a link has had a timer.
  var haveTimers = false
  /// The progress of the controller's lists.
  var upkeep = PrivacyUpkeep()
  var recent = RecentAddresses()
  /// The clients whose server state was restored from their bonds.
  var recognizedClients = ConnectionSet.none
  /// The recognised clients whose server state may have changed.
  public internal(set) var activeClients = ConnectionSet.none
  var table = InlineArray<links, SecuredLink>(repeating: SecuredLink())

  /// Creates a Security Manager without links.
  public init(
    policy: PairingPolicy, identity: LocalIdentity?, bonds: consuming Bonds,
    delegate: consuming Delegate, agreement: consuming Agreement, random: Random
  ) {
    self.policy = policy
    self.identity = identity
    self.bonds = bonds
    self.delegate = delegate
    pairing = Pairing(agreement: agreement, random: random)
  }

  // MARK: Links

  /// A link was opened, with these addresses.
  public mutating func opened(_ link: PairingLink, at index: Int) {
    guard index >= 0, index < links else { return }
    table[index] = SecuredLink()
    table[index].isOpen = true
    table[index].link = link
    table[index].security = linkSecurity
    guard linkSecurity == .none else { return }
    if let found = bonds.index(resolving: link.peerAddress) { noteBond(found, at: index) }
  }

  /// A link has closed.
  public mutating func closed(at index: Int, at now: Instant) {
    guard isOpen(index) else { return }
    if outboxIndex == index {
      outbox.removeAll()
      outboxIndex = nil
    }
    if pairingIndex == index {
      pairing.linkLost()
      settle(at: now)
    }
    activeClients.remove(index)
    recognizedClients.remove(index)
    overwrite(&table[index], with: SecuredLink())
  }

  /// The current security of a link; `.none` if there is no link.
  public func security(at index: Int) -> LinkSecurity {
    isOpen(index) ? table[index].security : .none
  }

  /// The number of the bond with the peer of a link; `nil` if there is none.
  public func bondIndex(at index: Int) -> Int? {
    guard isOpen(index), let identity = table[index].identity else { return nil }
    return bonds.index(of: identity)
  }

  /// Drops a bond. A link that is encrypted with its key stays encrypted; the next one will not be.
  public mutating func removeBond(at number: Int) {
    guard let identity = bonds.bond(at: number)?.identityAddress else { return }
    bonds.remove(at: number)
    bondsChanged()
    for index in 0..<links where table[index].identity == identity {
      table[index].identity = nil
      table[index].isProved = false
      table[index].security = table[index].security.subtracting(.bonded)
      table[index].hasOwnKey = false
    }
  }

  // MARK: Time

  /// When to call `advance(to:)` next; `nil` if nothing is scheduled. While keys are being
  /// computed, at once.
  public var deadline: Instant? {
    if needsStep { return Instant(rawValue: 0) }
    var earliest = Instant.earlier(pairing.deadline, renewalTime)
    // A loop asks in each turn, and few programs ever set such a timer.
    guard haveTimers else { return earliest }
    for index in 0..<links {
      earliest = Instant.earlier(earliest, table[index].requestDeadline)
      if Delegate.isEverCentral {
        earliest = Instant.earlier(earliest, table[index].encryptionDeadline)
      }
    }
    return earliest
  }

  /// Ends what has timed out at `now`. Does a step of the key computation if one is due.
  public mutating func advance(to now: Instant) {
    pairing.advance(to: now)
    if needsStep { pairing.step(at: now) }
    settle(at: now)
    advancePrivacy(to: now)
    for index in 0..<links {
      if Delegate.isEverCentral, let deadline = table[index].encryptionDeadline, deadline <= now {
        bondEncryptionFailed(.connectionTimeout, at: index)
      }
      guard let deadline = table[index].requestDeadline, deadline <= now else { continue }
      markTimedOut(index)
      delegate.pairingEnded(.timedOut, at: index)
    }
  }

  /// Whether `step(at:)` has work to do.
  public var needsStep: Bool { pairing.needsStep }

  /// Does a short step of the key computation. Does nothing unless `needsStep`.
  public mutating func step(at now: Instant) {
    pairing.step(at: now)
    settle(at: now)
  }

  // MARK: For the parts of the manager

  func isOpen(_ index: Int) -> Bool { index >= 0 && index < links && table[index].isOpen }

  /// The peer at `index` has the bond with this number.
  mutating func noteBond(_ number: Int, at index: Int) {
    guard let bond = bonds.bond(at: number) else { return }
    if table[index].identity != bond.identityAddress { table[index].isProved = false }
    table[index].identity = bond.identityAddress
    table[index].security = table[index].security | .bonded
    table[index].hasOwnKey = isCentral(at: index) && bond.serves(.initiator)
  }

  /// Whether a bonded peer has to be authenticated by encryption first.
  public func requiresEncryption(at index: Int) -> Bool {
    Delegate.isEverCentral && isOpen(index) && table[index].hasOwnKey
      && !table[index].security.contains(.encrypted)
  }

  /// The Security Manager Timer has expired: Vol 3, Part H, 3.4.
  mutating func markTimedOut(_ index: Int) {
    table[index].hasTimedOut = true
    table[index].pendingFailure = nil
    table[index].isSecurityRequestPending = false
    table[index].requestDeadline = nil
  }

  /// Handles the pairing's new state after an input: prompts, a failure to send, the outcome.
  mutating func settle(at now: Instant) {
    self.now = now
    guard let index = pairingIndex else { return }
    if let prompt = pairing.takePrompt() { delegate.show(prompt, at: index) }
    if let failure = pairing.takeFailure() { table[index].pendingFailure = failure }
    guard let outcome = pairing.takeOutcome() else { return }
    pairingIndex = nil
    finish(outcome, at: index)
  }

  /// The pairing at `index` has ended.
  private mutating func finish(_ outcome: PairingOutcome, at index: Int) {
    let claimedAddress = table[index].claimedAddress
    switch outcome {
    case .paired(let bond):
      if let bond, let rejection = keep(bond, at: index) {
        table[index].pendingFailure = .keyRejected
        return finish(rejection, at: index)
      }
      limiter.noteSuccess(claimedAddress)
      if policy.closesAfterPairing { policy.isOpen = false }
    // The peer does not pair now. Nothing was guessed, so the next attempt need not wait.
    case .refused(.pairingNotSupported): break
    case .failed, .noRoom, .refused, .timedOut, .linkLost, .encryptionFailed:
      if case .timedOut = outcome { markTimedOut(index) }
      limiter.noteFailure(claimedAddress, at: now)
    }
    if requiresEncryption(at: index) { table[index].encryptionFailure = .authenticationFailure }
    delegate.pairingEnded(outcome, at: index)
  }

  /// Stores a new bond with the peer at `index`. Returns the outcome if it may not: it would replace
  /// a stronger bond, or one that the peer does not prove to have (Vol 3, Part H, 3.5.5, Key
  /// Rejected); or the store is full.
  private mutating func keep(_ bond: Bond, at index: Int) -> PairingOutcome? {
    if let number = bonds.index(of: bond.identityAddress), let old = bonds.bond(at: number) {
      guard !bond.isWeaker(than: old), hasProved(old, with: bond, at: index) else {
        return .failed(.keyRejected)
      }
    } else if bonds.isFull, !policy.dropsBonds {
      return .noRoom
    }
    bonds.store(bond)
    bondsChanged()
    if let number = bonds.index(of: bond.identityAddress) { noteBond(number, at: index) }
    table[index].isProved = true
    // The new bond lacks the server's current state.
    invalidateSaved(at: index)
    return nil
  }

  /// Whether the peer at `index` is the one with the bond `old`, which `new` would replace. Anyone
  /// can use its address, or distribute it as an identity. The proof is the old key, with which the
  /// link was encrypted, or the old identity resolving key. As the central, this device pairs again
  /// only because its program or the peripheral asks, and the program chose the peer: its address
  /// on the link is enough.
  private func hasProved(_ old: Bond, with new: Bond, at index: Int) -> Bool {
    if let key = old.identityResolvingKey, key == new.identityResolvingKey { return true }
    return table[index].identity == old.identityAddress
      && (table[index].isProved || isCentral(at: index))
  }
}

// The calls of the program.
extension SecurityManager where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
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
    guard pairingError(at: index, at: now) == nil else { return false }
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

/// What a Security Manager knows about one link.
struct SecuredLink {
  var isOpen = false
  var link = PairingLink(role: .responder, ownAddress: .zero, peerAddress: .zero)
  /// The identity address of the peer's bond; `nil` without a bond.
  var identity: DeviceAddress?
  /// Whether the peer has that bond's key: the link was encrypted with it, or has just made it.
  var isProved = false
  /// The current security of the link.
  var security: LinkSecurity = .none
  /// Whether the Security Manager Timer has expired: then the link cannot pair any more.
  var hasTimedOut = false

  // The server's state of the peer.
  /// The state stored in the bond; `nil` if it may be out of date.
  var saved: ClientState?

  // Pending for the peer.
  var pendingFailure: PairingError?
  var isSecurityRequestPending = false
  /// When the Security Request times out.
  var requestDeadline: Instant?

  // Pending for the controller.
  /// Whether the controller has to encrypt with the bond's key; only for the central.
  var isEncryptionPending = false
  var keyReply: LongTermKeyReply?
  /// The security of the link as soon as it is encrypted with the bond's key.
  var pendingSecurity: LinkSecurity?
  /// When the encryption with the bond's key times out.
  var encryptionDeadline: Instant?
  /// Whether this device is the central and the bond's key is valid for the link: see
  /// `requiresEncryption`.
  var hasOwnKey = false
  /// Why the link could not be encrypted, until the client gets it.
  var encryptionFailure: HCIErrorCode?

  init() {}

  /// The address for which failed attempts are counted.
  var claimedAddress: DeviceAddress { identity ?? link.peerAddress }
}

/// A client whose link is encrypted with the key of its bond.
public enum ClientRecognition: Equatable, Sendable {
  /// Its bond is new.
  case new
  /// Its bond has this record.
  case known(ClientRecord)
}

/// The parameters of LE Enable Encryption, with which the central's controller encrypts a link:
/// Core Specification, Vol 4, Part E, 7.8.24.
public struct EncryptionStart: Equatable, Sendable {
  /// The key.
  public var longTermKey: Number128
  /// EDIV, which identifies the key for the peripheral.
  public var encryptedDiversifier: UInt16
  /// Rand, which identifies the key for the peripheral.
  public var randomNumber: UInt64

  /// Creates the command's parameters without the link.
  public init(longTermKey: Number128, encryptedDiversifier: UInt16, randomNumber: UInt64) {
    self.longTermKey = longTermKey
    self.encryptedDiversifier = encryptedDiversifier
    self.randomNumber = randomNumber
  }
}

/// The answer to the key request of the peripheral's controller:
/// Core Specification, Vol 4, Part E, 7.8.25 and 7.8.26.
public enum LongTermKeyReply: Equatable, Sendable {
  /// The key: LE Long Term Key Request Reply.
  case key(Number128)
  /// There is none: LE Long Term Key Request Negative Reply.
  case negative
}
