/// A point of the curve P-256, y² = x³ − 3x + b, in projective coordinates: (x / z, y / z), or the
/// neutral point if z is 0.
///
/// FIPS 186-4, D.1.2.3. No operation branches on a value, or uses it as an index.
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
        0xD898_C296, 0xF4A1_3945, 0x2DEB_33A0, 0x7703_7D81,
        0x63A4_40F2, 0xF8BC_E6E5, 0xE12C_4247, 0x6B17_D1F2,
      ]),
      y: Number256(words: [
        0x37BF_51F5, 0xCBB6_4068, 0x6B31_5ECE, 0x2BCE_3357,
        0x7C0F_9E16, 0x8EE7_EB4A, 0xFE1A_7F9B, 0x4FE3_42E2,
      ]))
  }

  /// The order of that group.
  static var order: Number256 {
    Number256(words: [
      0xFC63_2551, 0xF3B9_CAC2, 0xA717_9E84, 0xBCE6_FAAD,
      0xFFFF_FFFF, 0xFFFF_FFFF, 0x0000_0000, 0xFFFF_FFFF,
    ])
  }

  /// Adds `other`, which may be any point: the same one, its negative, or the neutral one.
  ///
  /// J. Renes, C. Costello, L. Batina, "Complete addition formulas for prime order elliptic curves"
  /// (2016), algorithm 4, with its names.
  @inline(never)
  mutating func add(_ other: P256Point) {
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
  @inline(never)
  mutating func replace(with other: borrowing P256Point, where mask: UInt32) {
    x.replace(with: other.x, where: mask)
    y.replace(with: other.y, where: mask)
    z.replace(with: other.z, where: mask)
  }

  /// Becomes its negative where `mask` has ones.
  mutating func negate(where mask: UInt32) {
    y.replace(with: .zero - y, where: mask)
  }
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
