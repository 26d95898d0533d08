// The Security Manager's channel: who may begin to pair, and the pending PDUs.
// Core Specification, Vol 3, Part H, 2.4.6 and 3.
extension SecurityManager where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// Takes a PDU from the peer at `index`.
  public mutating func receive(_ pdu: Span<UInt8>, at index: Int, at now: Instant) {
    var reader = ByteReader(pdu)
    guard isOpen(index), !table[index].hasTimedOut, let byte = reader.readUInt8() else { return }
    let code = SMPCode(rawValue: byte)
    let parameters = reader.readRemaining()
    // A reserved code is ignored: Vol 3, Part H, 3.3.
    guard code.isAssigned else { return }
    if pairingIndex == index {
      pairing.receive(code, parameters, at: now)
      settle(at: now)
      return
    }
    switch code {
    case .pairingRequest where table[index].link.role == .responder:
      receiveRequest(parameters, at: index, at: now)
    case .securityRequest where isCentral(at: index):
      receiveSecurityRequest(parameters, at: index, at: now)
    case .pairingFailed: receiveFailure(parameters, at: index)
    default: table[index].pendingFailure = .commandNotSupported
    }
  }

  /// Whether this device is the central of the link at `index`.
  func isCentral(at index: Int) -> Bool {
    Delegate.isEverCentral && table[index].link.role == .initiator
  }

  /// Takes a Pairing Request of a central.
  private mutating func receiveRequest(_ parameters: Span<UInt8>, at index: Int, at now: Instant) {
    // It may answer a Security Request.
    table[index].isSecurityRequestPending = false
    table[index].requestDeadline = nil
    if let error = pairingError(at: index, at: now) {
      table[index].pendingFailure = error
      return
    }
    pairingIndex = index
    pairing.begin(
      table[index].link, policy: policy(at: index), identity: identity, request: parameters, at: now
    )
    settle(at: now)
  }

  /// Takes a Security Request of a peripheral: encrypts with the bond's key if it meets the
  /// requirements, otherwise pairs.
  private mutating func receiveSecurityRequest(
    _ parameters: Span<UInt8>, at index: Int, at now: Instant
  ) {
    guard let request = SecurityRequest(parameters: parameters) else {
      table[index].pendingFailure = .invalidParameters
      return
    }
    var wanted: LinkSecurity = .encrypted
    if request.authenticationRequirements.contains(.mitm) { wanted = wanted | .authenticated }
    if table[index].security.contains(wanted) || table[index].pendingSecurity != nil { return }
    if let bond = usableBond(at: index), bond.security.contains(wanted) {
      table[index].isEncryptionPending = true
    } else if let error = pairingError(at: index, at: now) {
      table[index].pendingFailure = error
    } else {
      beginPairing(at: index, at: now)
    }
  }

  /// Takes Pairing Failed outside of a pairing: the central refuses a Security Request. It is
  /// ignored otherwise.
  private mutating func receiveFailure(_ parameters: Span<UInt8>, at index: Int) {
    guard table[index].requestDeadline != nil else { return }
    table[index].requestDeadline = nil
    let reason = PairingFailed(parameters: parameters)?.reason ?? .unspecifiedReason
    delegate.pairingEnded(.refused(reason), at: index)
  }

  /// Why no pairing may begin with the peer at `index`; `nil` if it may.
  func pairingError(at index: Int, at now: Instant) -> PairingError? {
    guard policy.isOpen, pairing.random.isSeeded else { return .pairingNotSupported }
    guard pairingIndex == nil, limiter.isAllowed(table[index].claimedAddress, at: now) else {
      return .repeatedAttempts
    }
    return nil
  }

  /// The requirements for a pairing with the peer at `index`: at least those of its bond.
  func policy(at index: Int) -> PairingPolicy {
    guard let number = bondIndex(at: index), let bond = bonds.bond(at: number) else {
      return policy
    }
    return policy.strengthened(by: bond)
  }

  mutating func beginPairing(at index: Int, at now: Instant) {
    pairingIndex = index
    table[index].isEncryptionPending = false
    pairing.begin(table[index].link, policy: policy(at: index), identity: identity, at: now)
    settle(at: now)
  }

  /// Whether `writePDU` may have a PDU for the peer at `index`.
  public func hasPDU(at index: Int) -> Bool {
    guard isOpen(index) else { return false }
    return table[index].pendingFailure != nil || table[index].isSecurityRequestPending
      || (pairingIndex == index && pairing.hasPDU)
  }

  /// Writes the next PDU for the peer at `index`; `false` if there is none, or no room for it: 65
  /// bytes are always enough.
  public mutating func writePDU(at index: Int, to writer: inout ByteWriter, at now: Instant) -> Bool
  {
    guard isOpen(index), !table[index].hasTimedOut else { return false }
    if let reason = table[index].pendingFailure {
      guard writer.freeCapacity >= 2 else { return false }
      PairingFailed(reason).write(to: &writer)
      table[index].pendingFailure = nil
      return true
    }
    if table[index].isSecurityRequestPending {
      guard writer.freeCapacity >= 2 else { return false }
      SecurityRequest(policy(at: index).requirements).write(to: &writer)
      table[index].isSecurityRequestPending = false
      return true
    }
    guard pairingIndex == index, pairing.writePDU(to: &writer, at: now) else { return false }
    settle(at: now)
    return true
  }
}

// The requirements of the host.
extension SecurityManager: SecurityRole
where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// True.
  public static var isPresent: Bool { true }

  /// Whether pairing needs more random numbers as a seed, and the controller has not refused them.
  public var needsRandomNumber: Bool { !pairing.random.isSeeded && !refusesRandomNumbers }

  /// Takes a random number of the controller; `nil` if it refuses. Without random numbers no peer
  /// can pair until the controller is reset.
  public mutating func takeRandomNumber(_ number: UInt64?) {
    guard !pairing.random.isSeeded else { return }
    if let number, pairing.random.addSeed(number) { return }
    refusesRandomNumbers = true
  }

  /// A link has closed.
  public mutating func closed(at index: Int) { closed(at: index, at: now) }

  /// Whether there is a PDU to send.
  public func hasPacket(for connection: borrowing Connection) -> Bool {
    outboxIndex == connection.index || hasPDU(at: connection.index)
  }

  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  public mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    if outboxIndex == nil {
      var bytes = InlineArray<65, UInt8>(repeating: 0)
      var pdu = ByteWriter(bytes.mutableSpan)
      guard writePDU(at: connection.index, to: &pdu, at: now) else { return false }
      let count = pdu.count
      _ = outbox.assign(bytes.span.extracting(first: count))
      outboxIndex = connection.index
    }
    guard outboxIndex == connection.index else { return false }
    let isDone = connection.writeFragment(
      of: outbox.span, on: .securityManager, length: length, to: &writer)
    connection.sending = isDone ? .nothing : .security
    if isDone {
      outbox.removeAll()
      outboxIndex = nil
    }
    return true
  }
}

/// The program that uses a Security Manager: it shows prompts to the user, and receives the
/// results.
///
/// The manager makes these calls while it works: answer a prompt after the call, with
/// `SecurityManager.confirm` or `enterPasskey`. `index` is the connection index.
public protocol PairingDelegate: ~Copyable {
  /// Whether this device is ever the central of a link. If false, the code for it is left out.
  static var isEverCentral: Bool { get }

  /// Whether the manager maintains the controller's resolving list and accept list, and this device
  /// may use private addresses. If false, the code for it is left out, `SecurityManager.privacy`
  /// has no effect, and only the host resolves the addresses of peers.
  static var keepsPrivacy: Bool { get }

  /// Shows the user a prompt. Without an answer the pairing ends 30 s after the last PDU.
  mutating func show(_ prompt: PairingPrompt, at index: Int)

  /// A pairing has ended. Remove its prompts.
  mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int)

  /// The security of the link changed.
  mutating func securityChanged(to security: LinkSecurity, at index: Int)

  /// The link could not be encrypted with the key of its bond. The bond stays. With the reason
  /// `pinOrKeyMissing` the peer has lost its own bond.
  mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int)
}

extension PairingDelegate where Self: ~Copyable {
  /// `true`.
  @inlinable public static var isEverCentral: Bool { true }

  /// `true`.
  @inlinable public static var keepsPrivacy: Bool { true }
}

/// Slows down a peer whose pairings fail: it has to wait after each failure, and twice as long
/// after the next one. Core Specification, Vol 3, Part H, 2.3.6. The first wait is 1 s, the longest
/// 64 s. After a wait, each minute without a failure halves the next one. With more than `capacity`
/// failing peers, it forgets the one whose wait ends first.
public struct AttemptLimiter<let capacity: Int> {
  private struct Entry {
    var address = DeviceAddress.zero
    /// 0 for an unused entry.
    var failures: UInt32 = 0
    var waitEnd = Instant(rawValue: 0)
  }

  /// After how many failures the wait stops growing.
  private static var mostFailures: UInt32 { 7 }
  /// After how many milliseconds a failure is forgotten.
  private static var calm: UInt64 { 60_000 }

  private var entries = InlineArray<capacity, Entry>(repeating: Entry())

  /// Creates a limiter without failures.
  public init() {}

  /// How long a peer waits after this number of failures, in milliseconds: 1,000 after the first.
  public static func wait(after failures: UInt32) -> UInt32 {
    failures == 0 ? 0 : 1_000 &<< (min(failures, mostFailures) &- 1)
  }

  /// Whether the device with this address may try now.
  public func isAllowed(_ address: DeviceAddress, at now: Instant) -> Bool {
    guard let index = index(of: address) else { return true }
    return entries[index].waitEnd <= now
  }

  /// Records that a pairing with this device failed.
  public mutating func noteFailure(_ address: DeviceAddress, at now: Instant) {
    guard let index = index(of: address) ?? freeIndex() else { return }
    let forgotten = forgottenFailures(entries[index], at: now)
    let failures = min(entries[index].failures &- forgotten &+ 1, Self.mostFailures)
    entries[index] = Entry(
      address: address, failures: failures, waitEnd: now.advanced(by: Self.wait(after: failures)))
  }

  /// Records that a pairing with this device succeeded, and forgets its failures.
  public mutating func noteSuccess(_ address: DeviceAddress) {
    if let index = index(of: address) { entries[index] = Entry() }
  }

  private func forgottenFailures(_ entry: Entry, at now: Instant) -> UInt32 {
    guard entry.waitEnd < now else { return 0 }
    let minutes = (now.rawValue &- entry.waitEnd.rawValue) / Self.calm
    return min(entry.failures, UInt32(truncatingIfNeeded: min(minutes, 1_000)))
  }

  private func index(of address: DeviceAddress) -> Int? {
    for index in 0..<capacity where entries[index].failures > 0 && entries[index].address == address
    { return index }
    return nil
  }

  /// An unused entry, or the one whose wait ends first; `nil` with a capacity of 0.
  private func freeIndex() -> Int? {
    var found: Int?
    for index in 0..<capacity {
      guard entries[index].failures > 0 else { return index }
      guard let best = found, entries[best].waitEnd <= entries[index].waitEnd else {
        found = index
        continue
      }
    }
    return found
  }
}
