/// LE Secure Connections' P-256 key agreement, in steps:
/// Core Specification, Vol 3, Part H, 2.3.5.6.1. `begin(privateKey:)` and steps compute the public
/// key, `begin(peer:)` and steps the shared one. `P256KeyAgreement` is in software; a board with
/// hardware has its own.
public protocol KeyAgreement: ~Copyable {
  /// Whether a computation is under way.
  var isBusy: Bool { get }

  /// Begins a new key pair, cancels other work, and overwrites the last pair's secrets in any case.
  ///
  /// - Parameter privateKey: A random number. Hardware with internal private keys ignores it.|-
  /// Throws: `.privateKey` for an invalid number, one in 2³²; then there is no key pair.
  mutating func begin(privateKey: Number256) throws(KeyAgreementError)

  /// Begins the shared key, and cancels other work. Throws without a key pair, or if the peer's key
  /// is not acceptable: the pairing fails (Vol 3, Part H, 2.3.5.6.1).
  mutating func begin(peer: P256PublicKey) throws(KeyAgreementError)

  /// Does a step. Returns the result at the end; `nil` before, and without a computation.
  mutating func step() -> KeyAgreementResult?
}

extension KeyAgreement where Self: ~Copyable {
  /// Completes the computation; `nil` if there is none.
  public mutating func finish() -> KeyAgreementResult? {
    while isBusy { if let result = step() { return result } }
    return nil
  }
}

/// The result of a key agreement's computation.
public enum KeyAgreementResult: Equatable, Sendable {
  /// This device's public key.
  case publicKey(P256PublicKey)
  /// The shared key, *DHKey*: the X coordinate of the shared point.
  case sharedKey(Number256)
}

/// Why a key is refused.
public enum KeyAgreementError: Error, Equatable, Sendable {
  /// The private key is 0, or not below the order of the curve.
  case privateKey
  /// There is no key pair yet.
  case noKeyPair
  /// The X coordinate is our own: the peer returned our key, or its negative.
  case ownPublicKey
  /// It is the specification's debug key, whose private key is public.
  case debugPublicKey
  /// The coordinates are not a point of the curve, or not below the prime.
  case notOnCurve
}

/// A point of P-256, once checked; a PDU has X and then Y:
/// Core Specification, Vol 3, Part H, 3.5.6.
public struct P256PublicKey: Equatable, Sendable {
  /// The X coordinate.
  public var x: Number256
  /// The Y coordinate.
  public var y: Number256

  /// Creates a key with these coordinates.
  public init(x: Number256, y: Number256) {
    self.x = x
    self.y = y
  }

  /// Reads X and Y, each least significant byte first; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard reader.count >= 64, let x = Number256(&reader), let y = Number256(&reader) else {
      return nil
    }
    self.init(x: x, y: y)
  }

  /// Writes X and Y, each least significant byte first.
  public func write(to writer: inout ByteWriter) {
    x.write(to: &writer)
    y.write(to: &writer)
  }

  /// The debug key, whose private key is public: Core Specification, Vol 3, Part H, 2.3.5.6.1.
  public static var debug: P256PublicKey {
    P256PublicKey(
      x: Number256(words: [
        0x0E35_9DE6, 0xCC03_0148, 0xACF4_FDDB, 0xEFF4_9111, 0xE9F9_A5B9, 0x5E2C_83A7, 0xF297_BE2C,
        0x20B0_03D2,
      ]),
      y: Number256(words: [
        0x1589_D28B, 0x741C_8ED0, 0x8FED_3024, 0x7663_45C2, 0x5A52_155C, 0x6332_9ABF, 0x652A_EB6D,
        0xDC80_9C49,
      ]))
  }
}
