/// A commitment to the random number that follows.
///
/// Core Specification, Vol 3, Part H, 3.5.3.
public struct PairingConfirm: NumberPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingConfirm }
  /// The result of c1 or f4.
  public var number: Number128

  /// Creates a PDU with this value.
  public init(_ number: Number128) {
    self.number = number
  }
}

/// The random number that the confirm value was made from.
///
/// Core Specification, Vol 3, Part H, 3.5.4.
public struct PairingRandom: NumberPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingRandom }
  /// 128 random bits.
  public var number: Number128

  /// Creates a PDU with this value.
  public init(_ number: Number128) {
    self.number = number
  }
}

/// Proof that the sender has the same shared secret and has seen the same features.
///
/// Core Specification, Vol 3, Part H, 3.5.7.
public struct PairingDHKeyCheck: NumberPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingDHKeyCheck }
  /// The result of f6.
  public var number: Number128

  /// Creates a PDU with this value.
  public init(_ number: Number128) {
    self.number = number
  }
}
