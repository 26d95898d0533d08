/// A device's means to display and enter numbers: Core Specification, Vol 3, Part H, 2.3.2 and
/// 3.5.1.
public enum IOCapability: UInt8, Sendable {
  /// Displays six digits.
  case displayOnly = 0x00
  /// Displays six digits, and takes yes or no.
  case displayYesNo = 0x01
  /// Takes six digits.
  case keyboardOnly = 0x02
  /// Neither displays nor takes anything.
  case noInputNoOutput = 0x03
  /// Displays six digits, and takes six digits.
  case keyboardDisplay = 0x04
}

/// A device's requirements for pairing: the field AuthReq.
/// Core Specification, Vol 3, Part H, 3.5.1. Reserved bits are preserved, since confirm values
/// cover them.
public struct AuthenticationRequirements: Flags {
  /// The byte in the PDU.
  public var rawValue: UInt8

  /// Any byte.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Keys are stored: Bonding_Flags is 1. Its values 2 and 3 are reserved.
  public static let bonding = AuthenticationRequirements(rawValue: 0x01)
  /// Protection against man-in-the-middle attacks.
  public static let mitm = AuthenticationRequirements(rawValue: 0x04)
  /// LE Secure Connections.
  public static let secureConnections = AuthenticationRequirements(rawValue: 0x08)

  /// Whether Bonding_Flags requests bonding.
  public var isBonding: Bool { rawValue & 0x03 == 0x01 }
}

/// The keys that a device distributes. Core Specification, Vol 3, Part H, 3.6.1. Reserved bits are
/// preserved, since confirm values cover them.
public struct KeyDistribution: Flags {
  /// The byte in the PDU.
  public var rawValue: UInt8

  /// Any byte.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// EncKey: the long term key and its identifier. Secure Connections ignores it.
  public static let encryptionKey = KeyDistribution(rawValue: 0x01)
  /// IdKey: the identity resolving key and the identity address.
  public static let identityKey = KeyDistribution(rawValue: 0x02)
  /// SignKey: the signature key.
  public static let signatureKey = KeyDistribution(rawValue: 0x04)
  /// LinkKey: a BR/EDR key is derived from the long term key.
  public static let linkKey = KeyDistribution(rawValue: 0x08)

  /// The reserved bits, which a receiver ignores.
  static let reserved = KeyDistribution(rawValue: 0xF0)
}

/// A device's capabilities and requirements: the parameters of Pairing Request and of Pairing
/// Response. Core Specification, Vol 3, Part H, 3.5.1 and 3.5.2.
public struct PairingFeatures: Equatable, Sendable {
  /// Its means to display and enter numbers.
  public var ioCapability: IOCapability
  /// Whether it has the peer's out-of-band data.
  public var hasOOBData: Bool
  /// Its requirements.
  public var authenticationRequirements: AuthenticationRequirements
  /// The maximum key size in bytes, 7 to 16.
  public var maximumKeySize: UInt8
  /// The keys that the initiator distributes.
  public var initiatorKeys: KeyDistribution
  /// The keys that the responder distributes.
  public var responderKeys: KeyDistribution

  /// Creates features with these values; by default keys have 16 bytes.
  public init(
    ioCapability: IOCapability, hasOOBData: Bool = false,
    authenticationRequirements: AuthenticationRequirements, maximumKeySize: UInt8 = 16,
    initiatorKeys: KeyDistribution, responderKeys: KeyDistribution
  ) {
    self.ioCapability = ioCapability
    self.hasOOBData = hasOOBData
    self.authenticationRequirements = authenticationRequirements
    self.maximumKeySize = maximumKeySize
    self.initiatorKeys = initiatorKeys
    self.responderKeys = responderKeys
  }

  /// Reads six bytes; `nil` if one is missing or out of range.
  init?(_ reader: inout ByteReader) {
    guard let io = reader.readUInt8(), let ioCapability = IOCapability(rawValue: io),
      let oob = reader.readUInt8(), oob <= 0x01, let requirements = reader.readUInt8(),
      let keySize = reader.readUInt8(), keySize >= 7, keySize <= 16,
      let initiatorKeys = reader.readUInt8(), let responderKeys = reader.readUInt8()
    else { return nil }
    self.ioCapability = ioCapability
    hasOOBData = oob == 0x01
    authenticationRequirements = AuthenticationRequirements(rawValue: requirements)
    maximumKeySize = keySize
    self.initiatorKeys = KeyDistribution(rawValue: initiatorKeys)
    self.responderKeys = KeyDistribution(rawValue: responderKeys)
  }

  /// Writes six bytes.
  func write(to writer: inout ByteWriter) {
    writer.write(ioCapability.rawValue)
    writer.write(UInt8(hasOOBData ? 0x01 : 0x00))
    writer.write(authenticationRequirements.rawValue)
    writer.write(maximumKeySize)
    writer.write(initiatorKeys.rawValue)
    writer.write(responderKeys.rawValue)
  }
}

/// A PDU with a device's features: Pairing Request or Pairing Response.
public protocol PairingFeaturesPDU: SMPPDU {
  /// The device's features.
  var features: PairingFeatures { get }
  /// Creates a PDU with these features.
  init(_ features: PairingFeatures)
}

extension PairingFeaturesPDU {
  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let features = PairingFeatures(&reader) else { return nil }
    self.init(features)
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) { features.write(to: &writer) }
}

/// The central requests pairing: Core Specification, Vol 3, Part H, 3.5.1.
public struct PairingRequest: PairingFeaturesPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingRequest }
  /// The initiator's features.
  public var features: PairingFeatures

  /// Creates a request with these features.
  public init(_ features: PairingFeatures) { self.features = features }
}

/// The peripheral accepts pairing: Core Specification, Vol 3, Part H, 3.5.2.
public struct PairingResponse: PairingFeaturesPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingResponse }
  /// The responder's features.
  public var features: PairingFeatures

  /// Creates a response with these features.
  public init(_ features: PairingFeatures) { self.features = features }
}

/// A byte of flags.
///
/// A part of Swift's `OptionSet` without arrays, since option sets allocate in Embedded Swift.
public protocol Flags: RawRepresentable, Equatable, Sendable where RawValue == UInt8 {
  /// A byte with these bits, known or not.
  init(rawValue: UInt8)
}

extension Flags {
  /// No flags.
  public static var none: Self { Self(rawValue: 0) }

  /// The flags of either.
  public static func | (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue | right.rawValue)
  }

  /// The flags of both.
  public static func & (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue & right.rawValue)
  }

  /// The flags without those of `other`.
  public func subtracting(_ other: Self) -> Self { Self(rawValue: rawValue & ~other.rawValue) }

  /// Whether it has all flags of `other`.
  public func contains(_ other: Self) -> Bool { rawValue & other.rawValue == other.rawValue }
}
