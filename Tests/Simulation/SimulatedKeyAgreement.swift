import BluetoothHost
import VirtualRadio

/// P-256 for devices that pair often: balls and centrals have four private keys each, so that a process computes each
/// result once, and gives it in a few steps. Its arithmetic has tests of its own. A public key that a fault has changed
/// is checked, and used, as by `P256KeyAgreement`.
struct SimulatedKeyAgreement: KeyAgreement, ~Copyable {
  enum Side { case ball, central }

  /// The steps of a result, between which packets arrive.
  private static var stepCount: Int { 8 }

  private let side: Side
  /// The index of the key pair; `nil` before its public key is computed.
  private var index: Int?
  private var nextIndex = 0
  private var result: KeyAgreementResult?
  private var steps = 0

  init(of side: Side) { self.side = side }

  var isBusy: Bool { result != nil }

  mutating func begin(privateKey: Number256) throws(KeyAgreementError) {
    index = nil
    result = nil
    guard privateKey != .zero else { throw .privateKey }
    nextIndex = Int(privateKey.words[0] % UInt32(KnownKeys.count))
    begin(.publicKey(KnownKeys.all.pairs(of: side)[nextIndex].publicKey))
  }

  mutating func begin(peer: P256PublicKey) throws(KeyAgreementError) {
    result = nil
    guard let index else { throw .noKeyPair }
    begin(.sharedKey(try KnownKeys.all.sharedKey(of: index, side, with: peer)))
  }

  private mutating func begin(_ result: KeyAgreementResult) {
    self.result = result
    steps = 0
  }

  mutating func step() -> KeyAgreementResult? {
    steps += 1
    guard let result, steps == Self.stepCount else { return nil }
    self.result = nil
    if case .publicKey = result { index = nextIndex }
    return result
  }
}

/// The key pairs of both sides, and what they share.
struct KnownKeys: Sendable {
  struct Pair {
    let privateKey: Number256
    let publicKey: P256PublicKey
  }

  /// How many pairs a side has.
  static var count: Int { 4 }
  /// Computed when it is first used: a search does that before it begins its processes.
  static let all = KnownKeys()

  private let balls: [Pair]
  private let centrals: [Pair]
  /// By the index of the ball's pair, and then of the central's.
  private let sharedKeys: [[Number256]]

  private init() {
    var random = SplitMix64(seed: 0x256)
    let balls = (0..<Self.count).map { _ in Pair(random.nextNumber()) }
    let centrals = (0..<Self.count).map { _ in Pair(random.nextNumber()) }
    sharedKeys = balls.map { ball in
      centrals.map { central in
        guard let key = try? ball.sharedKey(with: central.publicKey) else {
          preconditionFailure("The key pairs of the two sides differ.")
        }
        return key
      }
    }
    (self.balls, self.centrals) = (balls, centrals)
  }

  func pairs(of side: SimulatedKeyAgreement.Side) -> [Pair] { side == .ball ? balls : centrals }

  /// The key that the pair at `index` of a side shares with a peer.
  func sharedKey(
    of index: Int, _ side: SimulatedKeyAgreement.Side, with peer: P256PublicKey
  ) throws(KeyAgreementError) -> Number256 {
    let others = side == .ball ? centrals : balls
    guard let other = others.firstIndex(where: { $0.publicKey == peer }) else {
      return try pairs(of: side)[index].sharedKey(with: peer)
    }
    return side == .ball ? sharedKeys[index][other] : sharedKeys[other][index]
  }
}

extension KnownKeys.Pair {
  init(_ privateKey: Number256) {
    var agreement = P256KeyAgreement()
    self.privateKey = privateKey
    guard (try? agreement.begin(privateKey: privateKey)) != nil,
      case .publicKey(let key)? = agreement.finish()
    else { preconditionFailure("A private key is not below the order of the curve.") }
    publicKey = key
  }

  /// Computes a shared key.
  func sharedKey(with peer: P256PublicKey) throws(KeyAgreementError) -> Number256 {
    var agreement = P256KeyAgreement()
    try agreement.begin(privateKey: privateKey)
    _ = agreement.finish()
    try agreement.begin(peer: peer)
    guard case .sharedKey(let key)? = agreement.finish() else { throw .noKeyPair }
    return key
  }
}
