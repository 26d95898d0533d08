/// A long term key of legacy pairing.
///
/// Core Specification, Vol 3, Part H, 3.6.2.
public struct EncryptionInformation: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .encryptionInformation }
  /// Encrypts links whose peripheral is the distributor.
  public var longTermKey: Number128

  /// A PDU with this value.
  public init(longTermKey: Number128) {
    self.longTermKey = longTermKey
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let value = Number128(&reader) else { return nil }
    longTermKey = value
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    longTermKey.write(to: &writer)
  }
}

/// Which long term key was distributed.
///
/// Core Specification, Vol 3, Part H, 3.6.3.
public struct CentralIdentification: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .centralIdentification }
  /// EDIV.
  public var encryptedDiversifier: UInt16
  /// Rand.
  public var randomNumber: UInt64

  /// The name of a long term key.
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

/// An identity resolving key.
///
/// Core Specification, Vol 3, Part H, 3.6.4.
public struct IdentityInformation: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .identityInformation }
  /// All zeros from a device without resolvable private addresses.
  public var identityResolvingKey: Number128

  /// A PDU with this value.
  public init(identityResolvingKey: Number128) {
    self.identityResolvingKey = identityResolvingKey
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let value = Number128(&reader) else { return nil }
    identityResolvingKey = value
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    identityResolvingKey.write(to: &writer)
  }
}

/// The address of a device that never changes.
///
/// Core Specification, Vol 3, Part H, 3.6.5.
public struct IdentityAddressInformation: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .identityAddressInformation }
  /// A public or a static random address.
  public var address: DeviceAddress

  /// A PDU with this address.
  public init(address: DeviceAddress) {
    self.address = address
  }

  /// Reads what follows the code; `nil` also if the address is neither public nor static random.
  public init?(_ reader: inout ByteReader) {
    guard let kind = reader.readUInt8(), kind <= 0x01,
      let address = DeviceAddress(&reader, kind: DeviceAddress.Kind(rawValue: kind)),
      address.isIdentity
    else { return nil }
    self.address = address
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    address.write(to: &writer)
  }
}

/// A key for signed writes.
///
/// Core Specification, Vol 3, Part H, 3.6.6.
public struct SigningInformation: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .signingInformation }
  /// The connection signature resolving key.
  public var signatureKey: Number128

  /// A PDU with this value.
  public init(signatureKey: Number128) {
    self.signatureKey = signatureKey
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let value = Number128(&reader) else { return nil }
    signatureKey = value
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    signatureKey.write(to: &writer)
  }
}

extension DeviceAddress {
  /// Whether it never changes: a public or a static random address.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.
  public var isIdentity: Bool {
    kind == .public || (kind == .random && bytes[5] & 0b1100_0000 == 0b1100_0000)
  }

  /// Whether it is a resolvable private address: 22 random bits under the top bits 01, and a hash.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.2.
  public var isResolvable: Bool { kind == .random && bytes[5] & 0b1100_0000 == 0b0100_0000 }
}
