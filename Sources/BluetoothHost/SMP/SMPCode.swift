/// The code of a Security Manager PDU: its first byte. Core Specification, Vol 3, Part H, 3.3. An
/// open set: a peer may send any byte. PDUs with reserved codes are ignored.
public struct SMPCode: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The central requests pairing: 3.5.1.
  public static let pairingRequest = SMPCode(rawValue: 0x01)
  /// The peripheral accepts pairing: 3.5.2.
  public static let pairingResponse = SMPCode(rawValue: 0x02)
  /// A commitment to a random number: 3.5.3.
  public static let pairingConfirm = SMPCode(rawValue: 0x03)
  /// The random number: 3.5.4.
  public static let pairingRandom = SMPCode(rawValue: 0x04)
  /// Pairing has ended without a key: 3.5.5.
  public static let pairingFailed = SMPCode(rawValue: 0x05)
  /// A long term key: 3.6.2.
  public static let encryptionInformation = SMPCode(rawValue: 0x06)
  /// The identifier of a long term key: 3.6.3.
  public static let centralIdentification = SMPCode(rawValue: 0x07)
  /// An identity resolving key: 3.6.4.
  public static let identityInformation = SMPCode(rawValue: 0x08)
  /// An identity address: 3.6.5.
  public static let identityAddressInformation = SMPCode(rawValue: 0x09)
  /// A signature key: 3.6.6.
  public static let signingInformation = SMPCode(rawValue: 0x0A)
  /// The peripheral requests encryption: 3.6.7.
  public static let securityRequest = SMPCode(rawValue: 0x0B)
  /// A public key of P-256: 3.5.6.
  public static let pairingPublicKey = SMPCode(rawValue: 0x0C)
  /// Proof of the same shared secret: 3.5.7.
  public static let pairingDHKeyCheck = SMPCode(rawValue: 0x0D)
  /// The user pressed a key during passkey entry: 3.5.8.
  public static let pairingKeypressNotification = SMPCode(rawValue: 0x0E)

  /// Whether the code is not reserved.
  public var isAssigned: Bool { rawValue >= 0x01 && rawValue <= 0x0E }

  /// The PDU's name in the specification; `nil` for a reserved code.
  public var name: StaticString? {
    switch self {
    case .pairingRequest: "Pairing Request"
    case .pairingResponse: "Pairing Response"
    case .pairingConfirm: "Pairing Confirm"
    case .pairingRandom: "Pairing Random"
    case .pairingFailed: "Pairing Failed"
    case .encryptionInformation: "Encryption Information"
    case .centralIdentification: "Central Identification"
    case .identityInformation: "Identity Information"
    case .identityAddressInformation: "Identity Address Information"
    case .signingInformation: "Signing Information"
    case .securityRequest: "Security Request"
    case .pairingPublicKey: "Pairing Public Key"
    case .pairingDHKeyCheck: "Pairing DHKey Check"
    case .pairingKeypressNotification: "Pairing Keypress Notification"
    default: nil
    }
  }
}

/// A set of Security Manager codes, a bit each.
struct SMPCodeSet: Equatable {
  private var bits: UInt16 = 0

  /// No code.
  init() {}

  var isEmpty: Bool { bits == 0 }

  func contains(_ code: SMPCode) -> Bool { bits & Self.bit(code) != 0 }

  mutating func insert(_ code: SMPCode) { bits |= Self.bit(code) }

  mutating func remove(_ code: SMPCode) { bits &= ~Self.bit(code) }

  /// The lowest code; `nil` if the set is empty. Keys are distributed in the order of their codes.
  var first: SMPCode? {
    bits == 0 ? nil : SMPCode(rawValue: UInt8(truncatingIfNeeded: bits.trailingZeroBitCount))
  }

  /// A reserved code has no bit.
  private static func bit(_ code: SMPCode) -> UInt16 {
    code.isAssigned ? 1 &<< UInt16(code.rawValue) : 0
  }
}

/// The reason in Pairing Failed. Core Specification, Vol 3, Part H, 3.5.5. An open set: a peer may
/// send any byte.
public struct PairingError: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The user did not enter the passkey, or cancelled.
  public static let passkeyEntryFailed = PairingError(rawValue: 0x01)
  /// There is no out-of-band data.
  public static let oobNotAvailable = PairingError(rawValue: 0x02)
  /// The IO capabilities do not allow the required authentication.
  public static let authenticationRequirements = PairingError(rawValue: 0x03)
  /// The random number does not match the confirm value.
  public static let confirmValueFailed = PairingError(rawValue: 0x04)
  /// The device does not pair, or not now.
  public static let pairingNotSupported = PairingError(rawValue: 0x05)
  /// The key would be too short.
  public static let encryptionKeySize = PairingError(rawValue: 0x06)
  /// The device does not support the PDU.
  public static let commandNotSupported = PairingError(rawValue: 0x07)
  /// Any other reason, such as a PDU out of order.
  public static let unspecifiedReason = PairingError(rawValue: 0x08)
  /// The previous attempt was too recent.
  public static let repeatedAttempts = PairingError(rawValue: 0x09)
  /// The PDU has an invalid length, or a field is out of range.
  public static let invalidParameters = PairingError(rawValue: 0x0A)
  /// The check value, or the public key, is wrong.
  public static let dhKeyCheckFailed = PairingError(rawValue: 0x0B)
  /// The user found that the numbers differ.
  public static let numericComparisonFailed = PairingError(rawValue: 0x0C)
  /// The devices are pairing over BR/EDR.
  public static let brEDRPairingInProgress = PairingError(rawValue: 0x0D)
  /// Keys of one transport may not be derived from the other's.
  public static let crossTransportKeyDerivationNotAllowed = PairingError(rawValue: 0x0E)
  /// A distributed key was rejected.
  public static let keyRejected = PairingError(rawValue: 0x0F)
}

extension NoSecurity {
  /// Writes the response to a Security Manager PDU: pairing fails at once, so that the peer
  /// continues unencrypted instead of waiting for 30 s. Writes nothing for Pairing Failed or a
  /// reserved code. Core Specification, Vol 3, Part H, 3.3 and 3.5.
  package static func respond(to pdu: Span<UInt8>, response: inout ByteWriter) {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    let code = SMPCode(rawValue: byte)
    guard code != .pairingFailed, code.isAssigned else { return }
    let asksToPair = code == .pairingRequest || code == .securityRequest
    PairingFailed(asksToPair ? .pairingNotSupported : .commandNotSupported).write(to: &response)
  }
}
