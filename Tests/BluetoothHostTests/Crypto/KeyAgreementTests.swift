import BallTestSupport
import BluetoothHost
import Expectations

/// The key pair of one side of a pairing.
private struct Side {
  let privateKey: Number256
  let publicKey: P256PublicKey
}

/// Core Specification, Vol 2, Part G, 7.1.2: the first pair is the debug key and another.
private let debugSide = Side(
  privateKey: Number256(
    0x3F49_F6D4_A3C5_5F38, 0x74C9_B3E3_D210_3F50, 0x4AFF_607B_EB40_B799, 0x5899_B8A6_CD3C_1ABD),
  publicKey: P256PublicKey(
    x: Number256(
      0x20B0_03D2_F297_BE2C, 0x5E2C_83A7_E9F9_A5B9, 0xEFF4_9111_ACF4_FDDB, 0xCC03_0148_0E35_9DE6),
    y: Number256(
      0xDC80_9C49_652A_EB6D, 0x6332_9ABF_5A52_155C, 0x7663_45C2_8FED_3024, 0x741C_8ED0_1589_D28B)))
private let debugPeer = Side(
  privateKey: Number256(
    0x5518_8B3D_32F6_BB9A, 0x900A_FCFB_EED4_E72A, 0x59CB_9AC2_F19D_7CFB, 0x6B4F_DD49_F47F_C5FD),
  publicKey: P256PublicKey(
    x: Number256(
      0x1EA1_F0F0_1FAF_1D96, 0x0959_2284_F19E_4C00, 0x47B5_8AFD_8615_A69F, 0x5590_77B2_2FAA_A190),
    y: Number256(
      0x4C55_F33E_429D_AD37, 0x7356_703A_9AB8_5160, 0x472D_1130_E28E_3676, 0x5F89_AFF9_15B1_214A)))

private let secondSide = Side(
  privateKey: Number256(
    0x06A5_1669_3C9A_A31A, 0x6084_545D_0C5D_B641, 0xB485_72B9_7203_DDFF, 0xB7AC_73F7_D045_7663),
  publicKey: P256PublicKey(
    x: Number256(
      0x2C31_A47B_5779_809E, 0xF44C_B5EA_AF5C_3E43, 0xD5F8_FAAD_4A87_94CB, 0x987E_9B03_745C_78DD),
    y: Number256(
      0x9195_1218_3898_DFBE, 0xCD52_E240_8E43_871F, 0xD021_1091_17BD_3ED4, 0xEAF8_4377_4371_5D4F)))
private let secondPeer = Side(
  privateKey: Number256(
    0x529A_A067_0D72_CD64, 0x9750_2ED4_7350_2B03, 0x7E88_03B5_C608_29A5, 0xA3CA_A219_5055_30BA),
  publicKey: P256PublicKey(
    x: Number256(
      0xF465_E43F_F23D_3F1B, 0x9DC7_DFC0_4DA8_7581, 0x84DB_C966_2047_96EC, 0xCF0D_6CF5_E165_00CC),
    y: Number256(
      0x0201_D048_BCBB_D899, 0xEEEF_C424_164E_33C2, 0x01C2_B010_CA6B_4D43, 0xA8A1_55CA_D8EC_B279)))
private let secondKey = Number256(
  0xAB85_843A_2F6D_883F, 0x62E5_684B_38E3_0733, 0x5FE6_E194_5ECD_1960, 0x4105_C6F2_3221_EB69)

/// FIPS 186-4, D.1.2.3: the generator, and the number of points.
private let generator = P256PublicKey(
  x: Number256(
    0x6B17_D1F2_E12C_4247, 0xF8BC_E6E5_63A4_40F2, 0x7703_7D81_2DEB_33A0, 0xF4A1_3945_D898_C296),
  y: Number256(
    0x4FE3_42E2_FE1A_7F9B, 0x8EE7_EB4A_7C0F_9E16, 0x2BCE_3357_6B31_5ECE, 0xCBB6_4068_37BF_51F5))
private let order = Number256(
  0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF, 0xBCE6_FAAD_A717_9E84, 0xF3B9_CAC2_FC63_2551)

/// A result of the other kind, or no result.
private struct UnexpectedResult: Error {}

func publicKey(of privateKey: Number256) throws -> P256PublicKey {
  var agreement = P256KeyAgreement()
  try agreement.begin(privateKey: privateKey)
  let result = agreement.finish()
  guard case .publicKey(let key) = result else { throw UnexpectedResult() }
  return key
}

func sharedKey(_ privateKey: Number256, with peer: P256PublicKey) throws -> Number256 {
  var agreement = P256KeyAgreement(allowsDebugKey: true)
  try agreement.begin(privateKey: privateKey)
  _ = agreement.finish()
  try agreement.begin(peer: peer)
  let result = agreement.finish()
  guard case .sharedKey(let key) = result else { throw UnexpectedResult() }
  return key
}

@Suite("P-256 key agreement")
struct KeyAgreementTests {
  @Test("Both sides compute the keys of the specification's samples, Vol 2, Part G, 7.1.2")
  func samples() throws {
    for (side, peer, key) in [
      (debugSide, debugPeer, PairingSamples.dhKey),
      (debugPeer, debugSide, PairingSamples.dhKey),
      (secondSide, secondPeer, secondKey), (secondPeer, secondSide, secondKey),
    ] {
      expect(try publicKey(of: side.privateKey), is: side.publicKey)
      expect(try sharedKey(side.privateKey, with: peer.publicKey), is: key)
    }
  }

  @Test("The first and last private keys give the generator and its negative")
  func limits() throws {
    expect(try publicKey(of: Number256(0, 0, 0, 1)), is: generator)
    var last = order
    last.words[0] -= 1
    let negative = try publicKey(of: last)
    expect(negative.x, is: generator.x)
    expect(negative.y != generator.y)
    // Both keys have the same X: each side refuses the other's.
    #expect(throws: KeyAgreementError.ownPublicKey) { try sharedKey(last, with: generator) }
  }

  /// Digits of all sizes and both signs, runs of zeros and ones, and a carry out of the top digit.
  @Test("Both sides compute the same key for private keys of all digits")
  func digits() throws {
    var random = FixedRandom(seed: 0x256)
    var keys = (1...14).map { (digit: UInt32) in
      var key = Number256.zero
      for index in 0..<8 { key.words[index] = 0x1111_1111 &* digit }
      return key
    }
    keys += [
      Number256(0, 0, 0, 2), Number256(0, 0, 0, 8), Number256(0, 0, 0, 9),
      Number256(0, 0, 0, 0xFFFF_FFFF_FFFF_FFFF), Number256(1 << 63, 0, 0, 0),
      Number256(0xFFFF_FFFF_0000_0000, .max, 0, 0), Number256(0, 1, 0, 0),
    ]
    var own = P256KeyAgreement()
    var peer = P256KeyAgreement()
    try peer.begin(privateKey: random.nextNumber())
    let peerResult = peer.finish()
    guard case .publicKey(let peerKey) = peerResult else { throw UnexpectedResult() }
    for key in keys {
      try own.begin(privateKey: key)
      let ownResult = own.finish()
      guard case .publicKey(let ownKey) = ownResult else { throw UnexpectedResult() }
      try own.begin(peer: peerKey)
      try peer.begin(peer: ownKey)
      let shared = peer.finish()
      expect(shared != nil)
      expect(own.finish(), is: shared)
    }
  }

  @Test("Single steps, in a fixed number, give the same result")
  func steps() throws {
    var agreement = P256KeyAgreement()
    expect(agreement.isBusy, is: false)
    expect(agreement.step(), is: nil)
    expect(agreement.finish(), is: nil)
    for _ in 0..<2 {
      try agreement.begin(privateKey: secondSide.privateKey)
      expect(countSteps(of: &agreement), is: .publicKey(secondSide.publicKey))
      for _ in 0..<2 {
        try agreement.begin(peer: secondPeer.publicKey)
        expect(countSteps(of: &agreement), is: .sharedKey(secondKey))
      }
    }
  }

  private func countSteps(of agreement: inout P256KeyAgreement) -> KeyAgreementResult? {
    // 7 multiples, 65 windows of five additions, 16 parts of the division.
    expect(P256KeyAgreement.stepCount, is: 348)
    for _ in 1..<348 {
      expect(agreement.isBusy, is: true)
      expect(agreement.step(), is: nil)
    }
    expect(agreement.isBusy, is: true)
    let result = agreement.step()
    expect(agreement.isBusy, is: false)
    expect(agreement.step(), is: nil)
    return result
  }

  @Test("A new operation replaces the one under way")
  func restart() throws {
    var agreement = P256KeyAgreement()
    try agreement.begin(privateKey: debugPeer.privateKey)
    for _ in 0..<100 { expect(agreement.step(), is: nil) }
    try agreement.begin(privateKey: secondSide.privateKey)
    expect(agreement.finish(), is: .publicKey(secondSide.publicKey))
    try agreement.begin(peer: debugPeer.publicKey)
    for _ in 0..<340 { expect(agreement.step(), is: nil) }
    try agreement.begin(peer: secondPeer.publicKey)
    expect(agreement.finish(), is: .sharedKey(secondKey))
  }
}

@Suite("P-256 key agreement: refusals")
struct KeyAgreementRefusalTests {
  /// A key agreement with a key pair.
  private func ready(allowsDebugKey: Bool = false) throws -> P256KeyAgreement {
    var agreement = P256KeyAgreement(allowsDebugKey: allowsDebugKey)
    try agreement.begin(privateKey: secondSide.privateKey)
    _ = agreement.finish()
    return agreement
  }

  /// Checks that the key is refused for this reason, and that a valid one is accepted next.
  private func refuses(
    _ key: P256PublicKey, _ reason: KeyAgreementError,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    var agreement = try ready()
    #expect(throws: reason, sourceLocation: location) { try agreement.begin(peer: key) }
    expect(agreement.isBusy, is: false, sourceLocation: location)
    expect(agreement.step(), is: nil, sourceLocation: location)
    try agreement.begin(peer: secondPeer.publicKey)
    expect(agreement.finish(), is: .sharedKey(secondKey), sourceLocation: location)
  }

  @Test("Private keys of 0, of the order and above are refused")
  func privateKeys() throws {
    var above = order
    above.words[0] += 1
    for key in [Number256.zero, order, above, Number256(.max, .max, .max, .max)] {
      var agreement = try ready()
      #expect(throws: KeyAgreementError.privateKey) { try agreement.begin(privateKey: key) }
      expect(agreement.isBusy, is: false)
      // The earlier key pair is erased, so that it cannot serve a second pairing.
      #expect(throws: KeyAgreementError.noKeyPair) {
        try agreement.begin(peer: secondPeer.publicKey)
      }
    }
  }

  @Test("A peer's key is refused before the own key pair is complete")
  func early() throws {
    var agreement = P256KeyAgreement()
    #expect(throws: KeyAgreementError.noKeyPair) { try agreement.begin(peer: secondPeer.publicKey) }
    try agreement.begin(privateKey: secondSide.privateKey)
    for _ in 0..<100 { expect(agreement.step(), is: nil) }
    #expect(throws: KeyAgreementError.noKeyPair) { try agreement.begin(peer: secondPeer.publicKey) }
  }

  @Test("Points off the curve are refused")
  func beside() throws {
    var key = secondPeer.publicKey
    key.x.words[0] += 1
    try refuses(key, .notOnCurve)
    key = secondPeer.publicKey
    key.y.words[0] += 1
    try refuses(key, .notOnCurve)
    try refuses(P256PublicKey(x: .zero, y: .zero), .notOnCurve)
    try refuses(P256PublicKey(x: secondPeer.publicKey.x, y: .zero), .notOnCurve)
  }

  /// The curve has points with x = 5, and one with y = 5. 5 + p names the same element of the
  /// field: p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1, so 5 + p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ + 4.
  @Test("Coordinates of the prime and above are refused")
  func large() throws {
    let five = Number256(0, 0, 0, 5)
    let large = Number256(0xFFFF_FFFF_0000_0001, 0, 0x0000_0001_0000_0000, 4)
    let y = Number256(
      0x4592_43B9_AA58_1806, 0xFE91_3BCE_9981_7ADE, 0x11CA_503C_64D9_A3C5, 0x3341_5C08_3248_FBCC)
    let x = Number256(
      0xD732_5D76_46CD_60D8, 0x0A92_738C_EB34_5F84, 0x4CFF_AF35_8410_22CA, 0xB176_F692_DE8D_E1D7)
    var agreement = try ready()
    try agreement.begin(peer: P256PublicKey(x: five, y: y))
    try agreement.begin(peer: P256PublicKey(x: x, y: five))
    try refuses(P256PublicKey(x: large, y: y), .notOnCurve)
    try refuses(P256PublicKey(x: x, y: large), .notOnCurve)
    let all = Number256(.max, .max, .max, .max)
    try refuses(P256PublicKey(x: all, y: all), .notOnCurve)
  }

  /// CVE-2020-26558: a peer that sends the own key back needs no private key. Its negative has the
  /// same X.
  @Test("The own public key and its negative are refused")
  func own() throws {
    try refuses(secondSide.publicKey, .ownPublicKey)
    let negative = P256PublicKey(x: secondSide.publicKey.x, y: negated(secondSide.publicKey.y))
    try refuses(negative, .ownPublicKey)
  }

  @Test("The debug key and its negative are refused unless allowed")
  func debug() throws {
    expect(P256PublicKey.debug, is: debugSide.publicKey)
    try refuses(.debug, .debugPublicKey)
    let negative = P256PublicKey(x: P256PublicKey.debug.x, y: negated(P256PublicKey.debug.y))
    try refuses(negative, .debugPublicKey)
    var agreement = try ready(allowsDebugKey: true)
    try agreement.begin(peer: .debug)
    // The negative has the same shared X.
    let result = agreement.finish()
    let key = try sharedKey(debugSide.privateKey, with: secondSide.publicKey)
    expect(result, is: .sharedKey(key))
    try agreement.begin(peer: negative)
    expect(agreement.finish(), is: result)
  }

  @Test("A public key that is cut short is refused")
  func cut() throws {
    let bytes = (0..<64).map { UInt8($0) }
    var reader = ByteReader(bytes.span)
    let read = P256PublicKey(&reader)
    let key = try #require(read)
    expect(key.x.words[0], is: 0x0302_0100)
    expect(key.y.words[0], is: 0x2322_2120)
    expect(written { key.write(to: &$0) }, is: bytes)
    for short in truncations(of: bytes) {
      var reader = ByteReader(short.span)
      expect(P256PublicKey(&reader), is: nil)
    }
  }

  /// p − y
  private func negated(_ y: Number256) -> Number256 {
    let p: [UInt32] = [.max, .max, .max, 0, 0, 0, 1, .max]
    var result = Number256.zero
    var borrow: Int64 = 0
    for index in 0..<8 {
      borrow += Int64(p[index]) - Int64(y.words[index])
      result.words[index] = UInt32(truncatingIfNeeded: borrow)
      borrow >>= 32
    }
    return result
  }
}
