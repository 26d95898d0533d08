/// The key agreement in software, without a heap, in similar steps: seven additions for the point's
/// multiples up to 8, four doublings and an addition for each four bits, and the division by z, 16
/// bits of its exponent a step. Nothing depends on the private key or the shared point.
public struct P256KeyAgreement: KeyAgreement, ~Copyable, Sendable {
  /// The number of steps of a computation.
  public static var stepCount: Int { 7 + windowCount * 5 + 16 }

  /// Digits −8 to 8 of four bits; the top one is the carry of those below.
  private static var windowCount: Int { 65 }

  private enum Task {
    case none
    case publicKey
    case sharedKey
  }

  private let allowsDebugKey: Bool
  private var task = Task.none
  /// The completed steps of the task.
  private var steps = 0
  private var hasKeyPair = false
  /// Not private, so that scripts/check crypto can name the secrets.
  var privateKey = Number256.zero
  var publicKey = P256PublicKey(x: .zero, y: .zero)
  /// The point times 1 to 8.
  private var multiples = InlineArray<8, P256Point>(repeating: .none)
  private var sum = P256Point.none
  private var inverse = P256FieldElement.zero

  /// No key pair. `allowsDebugKey`: whether a peer may use the debug key, for tests or sniffers.
  public init(allowsDebugKey: Bool = false) { self.allowsDebugKey = allowsDebugKey }

  /// Whether a computation is under way.
  public var isBusy: Bool { task != .none }

  /// Begins a new key pair: see `KeyAgreement`.
  @inline(never) public mutating func begin(privateKey: Number256) throws(KeyAgreementError) {
    task = .none
    hasKeyPair = false
    // Forgets the last private key and the last shared point in any case.
    self.privateKey = .zero
    sum = .none
    inverse = .zero
    guard privateKey != .zero, privateKey.isBelow(P256Point.order) else { throw .privateKey }
    self.privateKey = privateKey
    try begin(.publicKey, with: P256Point.generator)
  }

  /// Begins the shared key: see `KeyAgreement`.
  @inline(never) public mutating func begin(peer: P256PublicKey) throws(KeyAgreementError) {
    task = .none
    guard hasKeyPair else { throw .noKeyPair }
    guard peer.x != publicKey.x else { throw .ownPublicKey }
    guard allowsDebugKey || peer.x != P256PublicKey.debug.x else { throw .debugPublicKey }
    try begin(.sharedKey, with: peer)
  }

  @inline(never) private mutating func begin(_ task: Task, with key: P256PublicKey)
    throws(KeyAgreementError)
  {
    guard key.x.isBelow(P256FieldElement.prime), key.y.isBelow(P256FieldElement.prime) else {
      throw .notOnCurve
    }
    multiples[0] = P256Point(key)
    guard multiples[0].isOnCurve else { throw .notOnCurve }
    sum = .neutral
    inverse = .one
    steps = 0
    self.task = task
  }

  /// Adds two points, or does a part of the division: see `KeyAgreement`.
  @inline(never) public mutating func step() -> KeyAgreementResult? {
    guard isBusy else { return nil }
    let step = steps
    steps &+= 1
    if step < 7 {
      multiples[step &+ 1] = multiples[step]
      multiples[step &+ 1].add(multiples[0])
    } else if step < 7 &+ Self.windowCount &* 5 {
      let part = step &- 7
      let window = Self.windowCount &- 1 &- part / 5
      sum.add(part % 5 < 4 ? sum : multiple(forWindow: window))
    } else {
      divide(from: (Self.stepCount &- steps) &* 16)
      if steps == Self.stepCount { return result() }
    }
    return nil
  }

  /// The point times the digit of a window.
  @inline(never) private func multiple(forWindow window: Int) -> P256Point {
    // Booth's digits: the four bits of the window and the top bit of the one below, −8·b₃ + 4·b₂ +
    // 2·b₁ + b₀ + b₋₁.
    let bits = privateKey.nibble(at: window) &<< 1 | privateKey.nibble(at: window &- 1) &>> 3
    let sign = 0 &- bits &>> 4
    let magnitude = (((bits ^ sign) & 31) &+ 1) &>> 1
    var selected = P256Point.neutral
    var index = 8
    while index > 0 {
      let difference = magnitude ^ UInt32(truncatingIfNeeded: index)
      index &-= 1
      // All ones if the difference, which is small, is 0.
      selected.replace(with: multiples[index], where: 0 &- (difference &- 1) &>> 31)
    }
    selected.negate(where: sign)
    return selected
  }

  /// Continues z^(p − 2), the inverse of z, by 16 bits of its exponent, which is not secret.
  @inline(never) private mutating func divide(from lowest: Int) {
    var exponent = P256FieldElement.prime
    exponent.words[0] = exponent.words[0] &- 2
    var bit = lowest &+ 16
    while bit > lowest {
      bit &-= 1
      inverse *= inverse
      if exponent.words[bit / 32] &>> UInt32(truncatingIfNeeded: bit % 32) & 1 != 0 {
        inverse *= sum.z
      }
    }
  }

  private mutating func result() -> KeyAgreementResult {
    let x = (sum.x * inverse).number
    let isPublicKey = task == .publicKey
    task = .none
    guard isPublicKey else { return .sharedKey(x) }
    publicKey = P256PublicKey(x: x, y: (sum.y * inverse).number)
    hasKeyPair = true
    return .publicKey(publicKey)
  }
}

extension Number256 {
  /// Four bits of the number, the lowest at index 0; 0 outside of it.
  fileprivate func nibble(at index: Int) -> UInt32 {
    guard index >= 0, index < 64 else { return 0 }
    return words[index / 8] &>> UInt32(truncatingIfNeeded: index % 8 &* 4) & 15
  }
}

/// A point of y² = x³ − 3x + b as (x / z, y / z), neutral if z is 0: FIPS 186-4, D.1.2.3. No
/// operation branches on a value or uses it as an index.
struct P256Point: Sendable {
  var x: P256FieldElement
  var y: P256FieldElement
  var z: P256FieldElement

  /// All zeros: no point, for unused storage.
  static var none: P256Point { P256Point(x: .zero, y: .zero, z: .zero) }

  /// The neutral point.
  static var neutral: P256Point { P256Point(x: .zero, y: .one, z: .zero) }

  private init(x: P256FieldElement, y: P256FieldElement, z: P256FieldElement) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Creates the point with these coordinates, which are below the prime.
  init(_ key: P256PublicKey) {
    self.init(x: P256FieldElement(key.x), y: P256FieldElement(key.y), z: .one)
  }

  /// Whether this point, with z = 1, is on the curve. The duration does not depend on it.
  var isOnCurve: Bool {
    var right = x * x
    right -= .one
    right -= .one
    right -= .one
    right *= x
    right += .b
    return (y * y - right).isZero
  }

  /// The generator of the group of prime order that contains all public keys.
  static var generator: P256PublicKey {
    P256PublicKey(
      x: Number256(words: [
        0xD898_C296, 0xF4A1_3945, 0x2DEB_33A0, 0x7703_7D81, 0x63A4_40F2, 0xF8BC_E6E5, 0xE12C_4247,
        0x6B17_D1F2,
      ]),
      y: Number256(words: [
        0x37BF_51F5, 0xCBB6_4068, 0x6B31_5ECE, 0x2BCE_3357, 0x7C0F_9E16, 0x8EE7_EB4A, 0xFE1A_7F9B,
        0x4FE3_42E2,
      ]))
  }

  /// The order of that group.
  static var order: Number256 {
    Number256(words: [
      0xFC63_2551, 0xF3B9_CAC2, 0xA717_9E84, 0xBCE6_FAAD, 0xFFFF_FFFF, 0xFFFF_FFFF, 0x0000_0000,
      0xFFFF_FFFF,
    ])
  }

  /// Adds any point: J. Renes, C. Costello, L. Batina, "Complete addition formulas for prime order
  /// elliptic curves" (2016), algorithm 4, with its names.
  @inline(never) mutating func add(_ other: P256Point) {
    var t0 = x * other.x
    let t1 = y * other.y
    var t2 = z * other.z
    // t3 = x₁y₂ + x₂y₁, t4 = y₁z₂ + y₂z₁, y3 = x₁z₂ + x₂z₁
    var t3 = x + y
    t3 *= other.x + other.y
    t3 -= t0
    t3 -= t1
    var t4 = y + z
    t4 *= other.y + other.z
    t4 -= t1
    t4 -= t2
    var y3 = x + z
    y3 *= other.x + other.z
    y3 -= t0
    y3 -= t2
    var x3 = y3 - .b * t2
    x3.triple()
    var z3 = t1 - x3
    x3 += t1
    y3 *= .b
    t2.triple()
    y3 -= t2
    y3 -= t0
    y3.triple()
    t0.triple()
    t0 -= t2

    y = x3 * z3 + t0 * y3
    x = t3 * x3 - t4 * y3
    z3 *= t4
    z = z3 + t3 * t0
  }

  /// Becomes `other` where `mask` has ones.
  @inline(never) mutating func replace(with other: borrowing P256Point, where mask: UInt32) {
    x.replace(with: other.x, where: mask)
    y.replace(with: other.y, where: mask)
    z.replace(with: other.z, where: mask)
  }

  /// Becomes its negative where `mask` has ones.
  mutating func negate(where mask: UInt32) { y.replace(with: .zero - y, where: mask) }
}

extension P256FieldElement {
  fileprivate mutating func triple() {
    let once = self
    self += once
    self += once
  }
}

extension WideNumber {
  /// Whether it is smaller than `other`.
  func isBelow(_ other: WideNumber) -> Bool {
    var difference = self
    return difference.subtract(other) != 0
  }
}
