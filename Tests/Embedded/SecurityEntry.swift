// Compiled by scripts/check embedded with the core: a Security Manager with two links, as a machine
// without a heap uses it.

import BluetoothHost

/// All calls of a host and a delegate on a Security Manager.
///
/// - Returns: A value that depends on every call, so that nothing is optimised away.
@c(eightball_security_entry)
public func security(_ byte: UInt8) -> UInt32 {
  var manager = SecurityManager<2, P256KeyAgreement, CountingRandom, BondTable<4>, Owner>(
    policy: PairingPolicy(),
    identity: LocalIdentity(identityResolvingKey: .zero, address: .zero), bonds: BondTable(),
    delegate: Owner(), agreement: P256KeyAgreement(), random: CountingRandom(state: 1))
  let now = Instant(rawValue: UInt64(widening: UInt32(byte)))
  let index = Int(byte & 1)
  manager.opened(
    PairingLink(
      role: byte & 2 == 0 ? .responder : .initiator, ownAddress: .zero, peerAddress: .zero),
    at: index)
  _ = manager.pair(at: index, at: now)
  _ = manager.secure(at: index, at: now)
  let pdu = InlineArray<65, UInt8>(repeating: byte)
  manager.receive(pdu.span, at: index, at: now)
  while manager.needsStep { manager.step(at: now) }
  var output = InlineArray<65, UInt8>(repeating: 0)
  var sum: UInt32 = 0
  var writer = ByteWriter(output.mutableSpan)
  while manager.writePDU(at: index, to: &writer, at: now) { sum &+= 1 }
  manager.keyRequested(encryptedDiversifier: 0, randomNumber: 0, at: index, at: now)
  if case .key(let key) = manager.takeKeyReply(at: index) { sum &+= key.words[0] }
  if let start = manager.takeEncryption(at: index, at: now) { sum &+= start.longTermKey.words[0] }
  manager.encryptionChanged(.success, isEncrypted: true, at: index, at: now)
  _ = manager.confirm(true, at: index, at: now)
  _ = manager.enterPasskey(1, at: index, at: now)
  manager.removeBond(at: 0)
  if manager.deadline != nil { sum &+= 1 }
  manager.advance(to: now)
  sum &+= UInt32(manager.security(at: index).rawValue)
  manager.closed(at: index, at: now)
  return sum &+ manager.delegate.count
}

/// A delegate that counts.
private struct Owner: PairingDelegate {
  var count: UInt32 = 0

  mutating func show(_ prompt: PairingPrompt, at index: Int) { count &+= 1 }
  mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int) { count &+= 1 }
  mutating func securityChanged(to security: LinkSecurity, at index: Int) { count &+= 1 }
  mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int) { count &+= 1 }
}

/// Successive numbers: this program makes no real keys.
private struct CountingRandom: SecureRandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 1
    return state
  }
}
