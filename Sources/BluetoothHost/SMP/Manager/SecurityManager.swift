/// The Security Manager of a host with up to `links` connections: pairs one peer at a time, keeps bonds,
/// and encrypts links with their keys.
///
/// Core Specification, Vol 3, Part H. It does no input or output. The host hands over PDUs of the
/// Security Manager's channel, events of the controller and the time, and asks for what is owed: PDUs
/// (`writePDU`), commands (`takeEncryption`, `takeKeyReply`) and steps of the key agreement (`step`).
///
/// While one peer pairs, another that asks gets Repeated Attempts, the reason that makes it ask again
/// later (Vol 3, Part H, 3.5.5, Table 3.7): a host holds the secrets of one pairing only.
public struct SecurityManager<
  let links: Int, Agreement: KeyAgreement & ~Copyable, Random: SecureRandomNumberGenerator,
  Bonds: BondStore & ~Copyable, Delegate: PairingDelegate & ~Copyable
>: ~Copyable {
  /// What it asks of the next pairing.
  public var policy: PairingPolicy
  /// Who this device is; `nil` if peers shall know no other address than that on the link.
  public var identity: LocalIdentity?
  /// The bonds. Remove one by `removeBond(at:)`, so that links learn of it.
  public var bonds: Bonds
  /// How much this device shows of who it is, and whom it lets connect.
  public var privacy = PrivacyPolicy() {
    didSet { if privacy != oldValue { upkeep.restart() } }
  }
  /// The owner.
  public var delegate: Delegate

  var pairing: Pairing<Agreement, Random>
  /// The connection that pairs.
  var pairingIndex: Int?
  /// The connection that pairs; `nil` if none does. No other can meanwhile.
  public var pairingConnection: Int? { pairingIndex }
  var limiter = AttemptLimiter<8>()
  /// The PDU that takes several packets, and the connection that it is for. Only the one that pairs
  /// sends any of more than 2 bytes.
  var outbox = ByteBuffer<65>()
  var outboxIndex: Int?
  /// The last moment that the manager has seen.
  var now = Instant(rawValue: 0)
  /// Whether the controller has refused a random number since it was set up.
  var refusesRandomNumbers = false
  /// How far the controller has been brought.
  var upkeep = PrivacyUpkeep()
  var recent = RecentAddresses()
  /// The recognised clients about which the server may know something new.
  public internal(set) var activeClients = ConnectionSet.none
  var table = InlineArray<links, SecuredLink>(repeating: SecuredLink())

  /// A Security Manager without links.
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

  /// A link is there, with the addresses with which it was made.
  public mutating func opened(_ link: PairingLink, at index: Int) {
    guard index >= 0, index < links else { return }
    table[index] = SecuredLink()
    table[index].isOpen = true
    table[index].link = link
    if let found = bonds.index(resolving: link.peerAddress) { noteBond(found, at: index) }
  }

  /// A link has gone.
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
    overwrite(&table[index], with: SecuredLink())
  }

  /// What protects a link now; nothing if there is no link.
  public func security(at index: Int) -> LinkSecurity {
    isOpen(index) ? table[index].security : .none
  }

  /// The number of the bond with the peer of a link; `nil` if there is none.
  public func bondIndex(at index: Int) -> Int? {
    guard isOpen(index), let identity = table[index].identity else { return nil }
    return bonds.index(of: identity)
  }

  /// Drops a bond. A link that is encrypted with its key stays so; the next one is not.
  public mutating func removeBond(at number: Int) {
    guard let identity = bonds.bond(at: number)?.identityAddress else { return }
    bonds.remove(at: number)
    bondsChanged()
    for index in 0..<links where table[index].identity == identity {
      table[index].identity = nil
      table[index].security = table[index].security.subtracting(.bonded)
      table[index].hasOwnKey = false
    }
  }

  // MARK: Time

  /// When `advance(to:)` has to be called next; `nil` if nothing is waited for. While there is work on
  /// keys, that is at once.
  public var deadline: Instant? {
    if needsStep { return Instant(rawValue: 0) }
    var earliest = Instant.earlier(pairing.deadline, renewalTime)
    for index in 0..<links {
      earliest = Instant.earlier(earliest, table[index].requestDeadline)
      if Delegate.isEverCentral {
        earliest = Instant.earlier(earliest, table[index].encryptionDeadline)
      }
    }
    return earliest
  }

  /// The time is `now`: what has been waited for too long is over. Works a little while on the keys of a
  /// pairing, if there is such work.
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
      silence(index)
      delegate.pairingEnded(.timedOut, at: index)
    }
  }

  /// Whether `step(at:)` has work to do.
  public var needsStep: Bool { pairing.needsStep }

  /// Works a little while on the keys of a pairing. Nothing happens unless `needsStep`.
  public mutating func step(at now: Instant) {
    pairing.step(at: now)
    settle(at: now)
  }

  // MARK: For the parts of the manager

  func isOpen(_ index: Int) -> Bool { index >= 0 && index < links && table[index].isOpen }

  /// The peer at `index` is the one of the bond with this number.
  mutating func noteBond(_ number: Int, at index: Int) {
    guard let bond = bonds.bond(at: number) else { return }
    table[index].identity = bond.identityAddress
    table[index].security = table[index].security | .bonded
    table[index].hasOwnKey = isCentral(at: index) && bond.serves(.initiator)
  }

  /// Whether the peer has yet to prove that it is the one of the bond.
  public func isUnproven(at index: Int) -> Bool {
    Delegate.isEverCentral && isOpen(index) && table[index].hasOwnKey
      && !table[index].security.contains(.encrypted)
  }

  /// The timer has run out: Vol 3, Part H, 3.4.
  mutating func silence(_ index: Int) {
    table[index].isSilenced = true
    table[index].owedFailure = nil
    table[index].owesSecurityRequest = false
    table[index].requestDeadline = nil
  }

  /// Sees to what the last input has made of the pairing: prompts, a failure to send, the outcome.
  mutating func settle(at now: Instant) {
    self.now = now
    guard let index = pairingIndex else { return }
    if let prompt = pairing.takePrompt() { delegate.show(prompt, at: index) }
    if let failure = pairing.takeFailure() { table[index].owedFailure = failure }
    guard let outcome = pairing.takeOutcome() else { return }
    pairingIndex = nil
    finish(outcome, at: index)
  }

  /// The pairing at `index` is over.
  private mutating func finish(_ outcome: PairingOutcome, at index: Int) {
    let claimedAddress = table[index].claimedAddress
    switch outcome {
    case .paired(let bond):
      if let bond, !keep(bond, at: index) {
        table[index].owedFailure = .keyRejected
        return finish(.failed(.keyRejected), at: index)
      }
      limiter.noteSuccess(claimedAddress)
    // The peer does not pair now. Nobody has guessed anything, and the next attempt need not wait.
    case .refused(.pairingNotSupported): break
    case .failed, .refused, .timedOut, .linkLost, .encryptionFailed:
      if case .timedOut = outcome { silence(index) }
      limiter.noteFailure(claimedAddress, at: now)
    }
    if isUnproven(at: index) { table[index].encryptionFailure = .authenticationFailure }
    delegate.pairingEnded(outcome, at: index)
  }

  /// Keeps a new bond with the peer at `index`; `false` if there is a stronger one: the peer claims the
  /// identity of another, or has forgotten what it could (Vol 3, Part H, 3.5.5, Key Rejected).
  private mutating func keep(_ bond: Bond, at index: Int) -> Bool {
    if let number = bonds.index(of: bond.identityAddress), let old = bonds.bond(at: number),
      bond.isWeaker(than: old)
    {
      return false
    }
    bonds.store(bond)
    bondsChanged()
    if let number = bonds.index(of: bond.identityAddress) { noteBond(number, at: index) }
    // The new bond does not have what the server knows already.
    forgetKept(at: index)
    return true
  }
}
