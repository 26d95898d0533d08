/// What a device has for showing and entering numbers.
///
/// Core Specification, Vol 3, Part H, 2.3.2 and 3.5.1.
public enum IOCapability: UInt8, Sendable {
  /// Shows six digits.
  case displayOnly = 0x00
  /// Shows six digits, and takes yes or no.
  case displayYesNo = 0x01
  /// Takes six digits.
  case keyboardOnly = 0x02
  /// Neither shows nor takes anything.
  case noInputNoOutput = 0x03
  /// Shows six digits, and takes six digits.
  case keyboardDisplay = 0x04
}

/// What a device wants of pairing: the field AuthReq.
///
/// Core Specification, Vol 3, Part H, 3.5.1. Reserved bits are kept, since confirm values cover them.
public struct AuthenticationRequirements: Flags {
  /// The byte as it is sent.
  public var rawValue: UInt8

  /// Any byte.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The keys are to be kept: Bonding_Flags is 1. Its values 2 and 3 are reserved.
  public static let bonding = AuthenticationRequirements(rawValue: 0x01)
  /// Protection against a man in the middle.
  public static let mitm = AuthenticationRequirements(rawValue: 0x04)
  /// LE Secure Connections.
  public static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
  /// Keypress Notifications while a passkey is entered.
  public static let keypress = AuthenticationRequirements(rawValue: 0x10)
  /// The function h7 makes keys of the other transport.
  public static let ct2 = AuthenticationRequirements(rawValue: 0x20)

  /// Whether Bonding_Flags asks for bonding.
  public var isBonding: Bool { rawValue & 0x03 == 0x01 }
}

/// Which keys a device distributes.
///
/// Core Specification, Vol 3, Part H, 3.6.1. Reserved bits are kept, since confirm values cover them.
public struct KeyDistribution: Flags {
  /// The byte as it is sent.
  public var rawValue: UInt8

  /// Any byte.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// EncKey: the long term key, and which it is. Secure Connections ignores it.
  public static let encryptionKey = KeyDistribution(rawValue: 0x01)
  /// IdKey: the identity resolving key and the identity address.
  public static let identityKey = KeyDistribution(rawValue: 0x02)
  /// SignKey: the signature key.
  public static let signatureKey = KeyDistribution(rawValue: 0x04)
  /// LinkKey: BR/EDR gets a key made from the long term key.
  public static let linkKey = KeyDistribution(rawValue: 0x08)
}

/// What a device can do and wants: the parameters of Pairing Request and of Pairing Response.
///
/// Core Specification, Vol 3, Part H, 3.5.1 and 3.5.2.
public struct PairingFeatures: Equatable, Sendable {
  /// How it shows and takes numbers.
  public var ioCapability: IOCapability
  /// Whether it has the other's out-of-band data.
  public var hasOOBData: Bool
  /// What it wants.
  public var authenticationRequirements: AuthenticationRequirements
  /// The longest key in bytes, 7 to 16.
  public var maximumKeySize: UInt8
  /// Which keys the initiator distributes.
  public var initiatorKeys: KeyDistribution
  /// Which keys the responder distributes.
  public var responderKeys: KeyDistribution

  /// These features. Keys are 16 bytes long unless it says otherwise.
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

  /// Reads six bytes; `nil` if one is missing or out of its range.
  init?(_ reader: inout ByteReader) {
    guard let io = reader.readUInt8(), let ioCapability = IOCapability(rawValue: io),
      let oob = reader.readUInt8(), oob <= 0x01,
      let requirements = reader.readUInt8(),
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

/// The central begins to pair.
///
/// Core Specification, Vol 3, Part H, 3.5.1.
public struct PairingRequest: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .pairingRequest }
  /// What the initiator can do and wants.
  public var features: PairingFeatures

  /// A request with these features.
  public init(_ features: PairingFeatures) {
    self.features = features
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let features = PairingFeatures(&reader) else { return nil }
    self.features = features
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    features.write(to: &writer)
  }
}

/// The peripheral goes along with pairing.
///
/// Core Specification, Vol 3, Part H, 3.5.2.
public struct PairingResponse: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .pairingResponse }
  /// What the responder can do and wants.
  public var features: PairingFeatures

  /// A response with these features.
  public init(_ features: PairingFeatures) {
    self.features = features
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let features = PairingFeatures(&reader) else { return nil }
    self.features = features
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    features.write(to: &writer)
  }
}
