// The Security Manager's channel: who may begin to pair, and the pending PDUs.
// Core Specification, Vol 3, Part H, 2.4.6 and 3.
extension SecurityManager
where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
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
    case .pairingFailed:
      receiveFailure(parameters, at: index)
    default:
      table[index].pendingFailure = .commandNotSupported
    }
  }

  /// Whether this device is the central of the link at `index`.
  func isCentral(at index: Int) -> Bool {
    Delegate.isEverCentral && table[index].link.role == .initiator
  }

  /// Takes a Pairing Request of a central.
  private mutating func receiveRequest(
    _ parameters: Span<UInt8>, at index: Int, at now: Instant
  ) {
    // It may answer a Security Request.
    table[index].isSecurityRequestPending = false
    table[index].requestDeadline = nil
    if let refusal = refusal(at: index, at: now) {
      table[index].pendingFailure = refusal
      return
    }
    pairingIndex = index
    pairing.begin(
      table[index].link, policy: policy(at: index), identity: identity, request: parameters,
      at: now)
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
    } else if let refusal = refusal(at: index, at: now) {
      table[index].pendingFailure = refusal
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
  func refusal(at index: Int, at now: Instant) -> PairingFailure? {
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
  public mutating func writePDU(
    at index: Int, to writer: inout ByteWriter, at now: Instant
  ) -> Bool {
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
