/// A commitment to the random number that follows.
///
/// Core Specification, Vol 3, Part H, 3.5.3.
public struct PairingConfirm: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .pairingConfirm }
  /// The result of c1 or f4.
  public var confirmValue: Number128

  /// A PDU with this value.
  public init(confirmValue: Number128) {
    self.confirmValue = confirmValue
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let value = Number128(&reader) else { return nil }
    confirmValue = value
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    confirmValue.write(to: &writer)
  }
}

/// The random number that the confirm value was made from.
///
/// Core Specification, Vol 3, Part H, 3.5.4.
public struct PairingRandom: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .pairingRandom }
  /// 128 random bits.
  public var randomValue: Number128

  /// A PDU with this value.
  public init(randomValue: Number128) {
    self.randomValue = randomValue
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let value = Number128(&reader) else { return nil }
    randomValue = value
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    randomValue.write(to: &writer)
  }
}

/// Proof that the sender has the same shared secret and has seen the same features.
///
/// Core Specification, Vol 3, Part H, 3.5.7.
public struct PairingDHKeyCheck: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .pairingDHKeyCheck }
  /// The result of f6.
  public var check: Number128

  /// A PDU with this value.
  public init(check: Number128) {
    self.check = check
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let value = Number128(&reader) else { return nil }
    check = value
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    check.write(to: &writer)
  }
}
