// Compiled by scripts/check embedded with the core: key agreement, the pairing functions and random
// numbers, as a machine without a heap uses them.

import BluetoothHost

/// The arithmetic of one pairing, from numbers that are not random.
///
/// - Returns: A value that depends on every call, so that nothing is optimised away.
@c(eightball_crypto_entry)
public func crypto(_ byte: UInt8) -> UInt32 {
  var random = CountingRandom(state: UInt64(widening: UInt32(byte)))
  let n1: Number128 = random.nextNumber()
  let n2: Number128 = random.nextNumber()
  let bytes = InlineArray<64, UInt8>(repeating: byte)
  var reader = ByteReader(bytes.span)
  guard let peer = P256PublicKey(&reader) else { return 0 }
  guard let dhKey = sharedKey(with: peer, random: &random) else { return 1 }

  let address = DeviceAddress.staticRandom(InlineArray(repeating: byte))
  let keys = PairingFunctions.f5(w: dhKey, n1: n1, n2: n2, a1: address, a2: address)
  let check = PairingFunctions.f6(
    w: keys.macKey, n1: n1, n2: n2, r: .zero, ioCap: [3, 0, 9], a1: address, a2: address)
  let confirm = PairingFunctions.f4(u: peer.x, v: dhKey, x: n1, z: 0)
  let legacyConfirm = PairingFunctions.c1(
    k: .zero, r: n1, preq: InlineArray(repeating: 1), pres: InlineArray(repeating: 2),
    initiator: address, responder: address)
  let stk = PairingFunctions.s1(k: .zero, r1: n1, r2: n2)
  return check.words[0] ^ confirm.words[0] ^ legacyConfirm.words[0] ^ stk.words[0]
    ^ PairingFunctions.g2(u: peer.x, v: dhKey, x: n1, y: n2)
    ^ PairingFunctions.ah(k: keys.ltk, r: 1)
}

/// The key agreement alone.
@c(eightball_key_agreement_entry)
public func keyAgreement(_ byte: UInt8) -> UInt32 {
  var random = CountingRandom(state: UInt64(widening: UInt32(byte)))
  let peer = P256PublicKey(x: random.nextNumber(), y: random.nextNumber())
  return sharedKey(with: peer, random: &random)?.words[0] ?? 0
}

private func sharedKey(
  with peer: P256PublicKey, random: inout some SecureRandomNumberGenerator
) -> Number256? {
  var agreement = P256KeyAgreement()
  do throws(KeyAgreementError) {
    try agreement.begin(privateKey: random.nextNumber())
    guard case .publicKey = agreement.finish() else { return nil }
    try agreement.begin(peer: peer)
  } catch {
    return nil
  }
  guard case .sharedKey(let key) = agreement.finish() else { return nil }
  return key
}

/// Successive numbers: this program makes no real keys.
private struct CountingRandom: SecureRandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &+ 0x9E37_79B9_7F4A_7C15
    return state
  }
}
