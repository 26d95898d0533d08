/// The P-256 key agreement of LE Secure Connections, in steps.
///
/// Core Specification, Vol 3, Part H, 2.3.5.6.1. It holds one key pair. The owner begins with a
/// private key, and steps until the public key is there; then begins with a peer's public key, and
/// steps until the shared key is there; and so for each pairing. Between two steps it can do other
/// work. `P256KeyAgreement` computes; a board with hardware for elliptic curves has its own.
public protocol KeyAgreement: ~Copyable {
  /// Whether a calculation has begun and is not finished.
  var isBusy: Bool { get }

  /// Begins a new key pair. Whatever has begun before is dropped, and the secrets of the last key pair
  /// are overwritten, also with a number that is refused.
  ///
  /// - Parameter privateKey: A random number. Hardware that keeps its private keys to itself ignores
  ///   it.
  /// - Throws: `.privateKey` if the number is none that a private key may be; no key pair is there
  ///   then. Of 2³² random numbers one is refused: draw another.
  mutating func begin(privateKey: Number256) throws(KeyAgreementError)

  /// Begins the shared key. Whatever has begun before is dropped.
  ///
  /// - Throws: If there is no public key of our own yet, or if this one is not to be used. The
  ///   pairing has failed then (Vol 3, Part H, 2.3.5.6.1).
  mutating func begin(peer: P256PublicKey) throws(KeyAgreementError)

  /// Works a little while. Returns what has begun once it is finished, and `nil` before that and if
  /// nothing has begun.
  mutating func step() -> KeyAgreementResult?
}

extension KeyAgreement where Self: ~Copyable {
  /// Works until what has begun is finished; `nil` if nothing has begun.
  public mutating func finish() -> KeyAgreementResult? {
    while isBusy {
      if let result = step() { return result }
    }
    return nil
  }
}

/// What a key agreement comes to.
public enum KeyAgreementResult: Equatable, Sendable {
  /// Our own public key.
  case publicKey(P256PublicKey)
  /// The shared key, *DHKey*: the X coordinate of the shared point.
  case sharedKey(Number256)
}

/// Why a key is refused.
public enum KeyAgreementError: Error, Equatable, Sendable {
  /// The private key is 0, or not below the order of the curve.
  case privateKey
  /// There is no public key of our own yet.
  case noKeyPair
  /// The X coordinate is our own: the peer sends our key back, or its negative.
  case ownPublicKey
  /// The X coordinate is that of the specification's debug key, whose private key everybody knows.
  case debugPublicKey
  /// The coordinates are no point of the curve, or are not below the prime.
  case notOnCurve
}

/// A public key: a point of the curve P-256, once it has been checked.
///
/// Core Specification, Vol 3, Part H, 3.5.6: a Pairing Public Key PDU has X and then Y.
public struct P256PublicKey: Equatable, Sendable {
  /// The X coordinate.
  public var x: Number256
  /// The Y coordinate.
  public var y: Number256

  /// A key with these coordinates.
  public init(x: Number256, y: Number256) {
    self.x = x
    self.y = y
  }

  /// Reads X and Y, each with the least significant byte first; `nil` if bytes are missing.
  public init?(_ reader: inout ByteReader) {
    guard reader.count >= 64, let x = Number256(&reader), let y = Number256(&reader) else {
      return nil
    }
    self.init(x: x, y: y)
  }

  /// Writes X and Y, each with the least significant byte first.
  public func write(to writer: inout ByteWriter) {
    x.write(to: &writer)
    y.write(to: &writer)
  }

  /// The public key of the private key that devices use so that sniffers can follow.
  ///
  /// Core Specification, Vol 3, Part H, 2.3.5.6.1.
  public static var debug: P256PublicKey {
    P256PublicKey(
      x: Number256(words: [
        0x0E35_9DE6, 0xCC03_0148, 0xACF4_FDDB, 0xEFF4_9111,
        0xE9F9_A5B9, 0x5E2C_83A7, 0xF297_BE2C, 0x20B0_03D2,
      ]),
      y: Number256(words: [
        0x1589_D28B, 0x741C_8ED0, 0x8FED_3024, 0x7663_45C2,
        0x5A52_155C, 0x6332_9ABF, 0x652A_EB6D, 0xDC80_9C49,
      ]))
  }
}
