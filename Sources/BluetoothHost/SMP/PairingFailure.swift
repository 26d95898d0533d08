/// The reason in Pairing Failed.
///
/// Core Specification, Vol 3, Part H, 3.5.5. An open set: a peer may send any byte.
public struct PairingFailure: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The user did not enter the passkey, or cancelled.
  public static let passkeyEntryFailed = PairingFailure(rawValue: 0x01)
  /// There is no out-of-band data.
  public static let oobNotAvailable = PairingFailure(rawValue: 0x02)
  /// The IO capabilities do not allow the required authentication.
  public static let authenticationRequirements = PairingFailure(rawValue: 0x03)
  /// The random number does not match the confirm value.
  public static let confirmValueFailed = PairingFailure(rawValue: 0x04)
  /// The device does not pair, or not now.
  public static let pairingNotSupported = PairingFailure(rawValue: 0x05)
  /// The key would be too short.
  public static let encryptionKeySize = PairingFailure(rawValue: 0x06)
  /// The device does not support the PDU.
  public static let commandNotSupported = PairingFailure(rawValue: 0x07)
  /// Any other reason, such as a PDU out of order.
  public static let unspecifiedReason = PairingFailure(rawValue: 0x08)
  /// The previous attempt was too recent.
  public static let repeatedAttempts = PairingFailure(rawValue: 0x09)
  /// The PDU has an invalid length, or a field is out of range.
  public static let invalidParameters = PairingFailure(rawValue: 0x0A)
  /// The check value, or the public key, is wrong.
  public static let dhKeyCheckFailed = PairingFailure(rawValue: 0x0B)
  /// The user found that the numbers differ.
  public static let numericComparisonFailed = PairingFailure(rawValue: 0x0C)
  /// The devices are pairing over BR/EDR.
  public static let brEDRPairingInProgress = PairingFailure(rawValue: 0x0D)
  /// Keys of one transport may not be derived from the other's.
  public static let crossTransportKeyDerivationNotAllowed = PairingFailure(rawValue: 0x0E)
  /// A distributed key was rejected.
  public static let keyRejected = PairingFailure(rawValue: 0x0F)
}
