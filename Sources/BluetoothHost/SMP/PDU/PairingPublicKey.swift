/// A public key: a point of the curve P-256.
///
/// Core Specification, Vol 3, Part H, 3.5.6.
public struct PairingPublicKey: SMPPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingPublicKey }
  /// The key as received, not checked yet: the key agreement does that.
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
