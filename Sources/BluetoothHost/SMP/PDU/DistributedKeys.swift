/// A long term key of legacy pairing.
///
/// Core Specification, Vol 3, Part H, 3.6.2.
public struct EncryptionInformation: NumberPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .encryptionInformation }
  /// Encrypts links on which the distributor is the peripheral.
  public var number: Number128

  /// Creates a PDU with this value.
  public init(_ number: Number128) {
    self.number = number
  }
}

/// Identifies a distributed long term key.
///
/// Core Specification, Vol 3, Part H, 3.6.3.
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

/// An identity resolving key.
///
/// Core Specification, Vol 3, Part H, 3.6.4.
public struct IdentityInformation: NumberPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .identityInformation }
  /// The key; all zeros from a device without resolvable private addresses.
  public var number: Number128

  /// Creates a PDU with this value.
  public init(_ number: Number128) {
    self.number = number
  }
}

/// The identity address of a device.
///
/// Core Specification, Vol 3, Part H, 3.6.5.
public struct IdentityAddressInformation: SMPPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .identityAddressInformation }
  /// A public or a static random address.
  public var address: DeviceAddress

  /// Creates a PDU with this address.
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
