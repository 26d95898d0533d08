/// A public key: a point of the curve P-256.
///
/// Core Specification, Vol 3, Part H, 3.5.6.
public struct PairingPublicKey: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .pairingPublicKey }
  /// The key, which may be anything that a peer sends: the key agreement checks it.
  public var key: P256PublicKey

  /// A PDU with this key.
  public init(_ key: P256PublicKey) {
    self.key = key
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let key = P256PublicKey(&reader) else { return nil }
    self.key = key
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    key.write(to: &writer)
  }
}
