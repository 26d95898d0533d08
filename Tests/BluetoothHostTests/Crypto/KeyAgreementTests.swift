import BallTestSupport
import BluetoothHost
import Expectations

/// The key pair of one side of a pairing.
private struct Side {
  let privateKey: Number256
  let publicKey: P256PublicKey

  init(_ privateKey: String, x: String, y: String) {
    self.privateKey = number(privateKey)
    publicKey = P256PublicKey(x: number(x), y: number(y))
  }
}

/// The number with these 64 digits.
private func number(_ digits: String) -> Number256 {
  let words = (0..<4).map { UInt64(digits.dropFirst(16 * $0).prefix(16), radix: 16) ?? 0 }
  return Number256(words[0], words[1], words[2], words[3])
}

/// Core Specification, Vol 2, Part G, 7.1.2: the first pair is the debug key and another.
private let debugSide = Side(
  "3F49F6D4A3C55F3874C9B3E3D2103F504AFF607BEB40B7995899B8A6CD3C1ABD",
  x: "20B003D2F297BE2C5E2C83A7E9F9A5B9EFF49111ACF4FDDBCC0301480E359DE6",
  y: "DC809C49652AEB6D63329ABF5A52155C766345C28FED3024741C8ED01589D28B")
private let debugPeer = Side(
  "55188B3D32F6BB9A900AFCFBEED4E72A59CB9AC2F19D7CFB6B4FDD49F47FC5FD",
  x: "1EA1F0F01FAF1D9609592284F19E4C0047B58AFD8615A69F559077B22FAAA190",
  y: "4C55F33E429DAD377356703A9AB85160472D1130E28E36765F89AFF915B1214A")

private let secondSide = Side(
  "06A516693C9AA31A6084545D0C5DB641B48572B97203DDFFB7AC73F7D0457663",
  x: "2C31A47B5779809EF44CB5EAAF5C3E43D5F8FAAD4A8794CB987E9B03745C78DD",
  y: "919512183898DFBECD52E2408E43871FD021109117BD3ED4EAF8437743715D4F")
private let secondPeer = Side(
  "529AA0670D72CD6497502ED473502B037E8803B5C60829A5A3CAA219505530BA",
  x: "F465E43FF23D3F1B9DC7DFC04DA8758184DBC966204796ECCF0D6CF5E16500CC",
  y: "0201D048BCBBD899EEEFC424164E33C201C2B010CA6B4D43A8A155CAD8ECB279")
private let secondKey = number(
  "AB85843A2F6D883F62E5684B38E307335FE6E1945ECD19604105C6F23221EB69")

/// FIPS 186-4, D.1.2.3: the generator, and the number of points.
private let generator = P256PublicKey(
  x: number("6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296"),
  y: number("4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5"))
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
