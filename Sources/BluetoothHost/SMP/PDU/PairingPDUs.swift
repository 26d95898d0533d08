/// A PDU of the Security Manager: a code, then parameters of a fixed length.
/// Core Specification, Vol 3, Part H, 3.3.
public protocol SMPPDU: Sendable {
  /// The PDU's code.
  static var code: SMPCode { get }

  /// Reads what follows the code; `nil` if a byte is missing or a field is out of range.
  init?(_ reader: inout ByteReader)

  /// Writes what follows the code.
  func writeParameters(to writer: inout ByteWriter)
}

extension SMPPDU {
  /// Reads all that follows the code; `nil` also if bytes remain.
  public init?(parameters: Span<UInt8>) {
    var reader = ByteReader(parameters)
    self.init(&reader)
    guard reader.isEmpty else { return nil }
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(Self.code.rawValue)
    writeParameters(to: &writer)
  }
}

/// A PDU with one number of 128 bits: a key, or a value of the pairing functions.
public protocol NumberPDU: SMPPDU {
  /// The number.
  var number: Number128 { get }
  /// Creates a PDU with this number.
  init(_ number: Number128)
}

extension NumberPDU {
  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let number = Number128(&reader) else { return nil }
    self.init(number)
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) { number.write(to: &writer) }
}

/// A public key: a point of the curve P-256. Core Specification, Vol 3, Part H, 3.5.6.
public struct PairingPublicKey: SMPPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingPublicKey }
  /// The key as received, not checked yet: the key agreement does that.
  public var key: P256PublicKey

  /// A PDU with this key.
  public init(_ key: P256PublicKey) { self.key = key }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let key = P256PublicKey(&reader) else { return nil }
    self.key = key
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) { key.write(to: &writer) }
}

/// A commitment to the random number that follows: Core Specification, Vol 3, Part H, 3.5.3.
public struct PairingConfirm: NumberPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingConfirm }
  /// The result of c1 or f4.
  public var number: Number128

  /// Creates a PDU with this value.
  public init(_ number: Number128) { self.number = number }
}

/// The random number that the confirm value was made from:
/// Core Specification, Vol 3, Part H, 3.5.4.
public struct PairingRandom: NumberPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingRandom }
  /// 128 random bits.
  public var number: Number128

  /// Creates a PDU with this value.
  public init(_ number: Number128) { self.number = number }
}

/// Proof that the sender has the same shared secret and has seen the same features:
/// Core Specification, Vol 3, Part H, 3.5.7.
public struct PairingDHKeyCheck: NumberPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingDHKeyCheck }
  /// The result of f6.
  public var number: Number128

  /// Creates a PDU with this value.
  public init(_ number: Number128) { self.number = number }
}

/// Pairing has ended without a key: Core Specification, Vol 3, Part H, 3.5.5.
public struct PairingFailed: SMPPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingFailed }
  /// The reason.
  public var reason: PairingError

  /// Creates a failure for this reason.
  public init(_ reason: PairingError) { self.reason = reason }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let reason = reader.readUInt8() else { return nil }
    self.reason = PairingError(rawValue: reason)
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) { writer.write(reason.rawValue) }
}

/// The peripheral asks the central to encrypt the link, or to pair:
/// Core Specification, Vol 3, Part H, 2.4.6 and 3.6.7.
public struct SecurityRequest: SMPPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .securityRequest }
  /// The peripheral's requirements.
  public var authenticationRequirements: AuthenticationRequirements

  /// Creates a request with these requirements.
  public init(_ authenticationRequirements: AuthenticationRequirements) {
    self.authenticationRequirements = authenticationRequirements
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let requirements = reader.readUInt8() else { return nil }
    authenticationRequirements = AuthenticationRequirements(rawValue: requirements)
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(authenticationRequirements.rawValue)
  }
}

/// A long term key of legacy pairing: Core Specification, Vol 3, Part H, 3.6.2.
public struct EncryptionInformation: NumberPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .encryptionInformation }
  /// Encrypts links on which the distributor is the peripheral.
  public var number: Number128

  /// Creates a PDU with this value.
  public init(_ number: Number128) { self.number = number }
}

/// Identifies a distributed long term key: Core Specification, Vol 3, Part H, 3.6.3.
public struct CentralIdentification: SMPPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .centralIdentification }
  /// EDIV.
  public var encryptedDiversifier: UInt16
  /// Rand.
  public var randomNumber: UInt64

  /// Creates the identifier of a long term key.
  public init(encryptedDiversifier: UInt16, randomNumber: UInt64) {
    self.encryptedDiversifier = encryptedDiversifier
    self.randomNumber = randomNumber
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let diversifier = reader.readUInt16(), let number = reader.readUInt64() else {
      return nil
    }
    encryptedDiversifier = diversifier
    randomNumber = number
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(encryptedDiversifier)
    writer.write(randomNumber)
  }
}

/// An identity resolving key: Core Specification, Vol 3, Part H, 3.6.4.
public struct IdentityInformation: NumberPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .identityInformation }
  /// The key; all zeros from a device without resolvable private addresses.
  public var number: Number128

  /// Creates a PDU with this value.
  public init(_ number: Number128) { self.number = number }
}

/// The identity address of a device: Core Specification, Vol 3, Part H, 3.6.5.
public struct IdentityAddressInformation: SMPPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .identityAddressInformation }
  /// A public or a static random address.
  public var address: DeviceAddress

  /// Creates a PDU with this address.
  public init(address: DeviceAddress) { self.address = address }

  /// Reads what follows the code; `nil` also if the address is neither public nor static random.
  public init?(_ reader: inout ByteReader) {
    guard let kind = reader.readUInt8(), kind <= 0x01,
      let address = DeviceAddress(&reader, kind: DeviceAddress.Kind(rawValue: kind)),
      address.isIdentity
    else { return nil }
    self.address = address
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) { address.write(to: &writer) }
}
