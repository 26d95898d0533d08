import BallTestSupport
import BluetoothHost

/// A fast key agreement without security.
///
/// X is the private key with its words reversed, Y follows from X, and the shared key is the sum of
/// both X. It makes sweeps over thousands of pairings fast.
struct TestAgreement: KeyAgreement, ~Copyable {
  /// Whether a Y that does not fit X is refused.
  var checksCurve = true
  private var publicKey: P256PublicKey?
  private var result: KeyAgreementResult?
  private var remaining = 0

  init(checksCurve: Bool = true) { self.checksCurve = checksCurve }

  var isBusy: Bool { remaining > 0 }

  static func publicKey(for privateKey: Number256) -> P256PublicKey {
    var x = Number256.zero
    for index in 0..<8 { x.words[index] = privateKey.words[7 - index] }
    return P256PublicKey(x: x, y: y(for: x))
  }

  private static func y(for x: Number256) -> Number256 {
    var y = Number256.zero
    for index in 0..<8 { y.words[index] = ~x.words[index] &* 2_654_435_761 }
    return y
  }

  mutating func begin(privateKey: Number256) throws(KeyAgreementError) {
    publicKey = nil
    result = nil
    remaining = 0
    guard privateKey != .zero else { throw .privateKey }
    let key = Self.publicKey(for: privateKey)
    publicKey = key
    result = .publicKey(key)
    remaining = 3
  }

  mutating func begin(peer: P256PublicKey) throws(KeyAgreementError) {
    guard let publicKey else { throw .noKeyPair }
    guard peer.x != publicKey.x else { throw .ownPublicKey }
    guard peer.x != P256PublicKey.debug.x else { throw .debugPublicKey }
    guard !checksCurve || peer.y == Self.y(for: peer.x) else { throw .notOnCurve }
    var shared = Number256.zero
    for index in 0..<8 { shared.words[index] = publicKey.x.words[index] &+ peer.x.words[index] }
    result = .sharedKey(shared)
    remaining = 3
  }

  mutating func step() -> KeyAgreementResult? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    return remaining == 0 ? result : nil
  }
}

/// Random numbers from a list; after it, those of a fixed seed.
struct ListedRandom: SecureRandomNumberGenerator {
  private var words: [UInt32]
  private var rest = FixedRandom(seed: 1)

  init(_ words: [UInt32]) { self.words = words }

  mutating func next() -> UInt64 { words.isEmpty ? rest.next() : UInt64(words.removeFirst()) }
}
