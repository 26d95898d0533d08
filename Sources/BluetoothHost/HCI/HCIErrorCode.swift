/// Why a controller refused a command or ended a link, and the reason a host gives for ending one.
///
/// Core Specification, Vol 1, Part F. An open set: a controller may send any byte.
public struct HCIErrorCode: RawRepresentable, Equatable, Sendable {
  public var rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let success = HCIErrorCode(rawValue: 0x00)
  public static let unknownCommand = HCIErrorCode(rawValue: 0x01)
  public static let unknownConnectionIdentifier = HCIErrorCode(rawValue: 0x02)
  public static let hardwareFailure = HCIErrorCode(rawValue: 0x03)
  public static let authenticationFailure = HCIErrorCode(rawValue: 0x05)
  public static let pinOrKeyMissing = HCIErrorCode(rawValue: 0x06)
  public static let memoryCapacityExceeded = HCIErrorCode(rawValue: 0x07)
  public static let connectionTimeout = HCIErrorCode(rawValue: 0x08)
  public static let connectionLimitExceeded = HCIErrorCode(rawValue: 0x09)
  public static let connectionAlreadyExists = HCIErrorCode(rawValue: 0x0B)
  public static let commandDisallowed = HCIErrorCode(rawValue: 0x0C)
  public static let rejectedDueToLimitedResources = HCIErrorCode(rawValue: 0x0D)
  public static let unsupportedFeatureOrParameterValue = HCIErrorCode(rawValue: 0x11)
  public static let invalidCommandParameters = HCIErrorCode(rawValue: 0x12)
  public static let remoteUserTerminatedConnection = HCIErrorCode(rawValue: 0x13)
  public static let remoteDevicePoweredOff = HCIErrorCode(rawValue: 0x15)
  public static let connectionTerminatedByLocalHost = HCIErrorCode(rawValue: 0x16)
  public static let unsupportedRemoteFeature = HCIErrorCode(rawValue: 0x1A)
  public static let unspecifiedError = HCIErrorCode(rawValue: 0x1F)
  public static let linkLayerResponseTimeout = HCIErrorCode(rawValue: 0x22)
  public static let advertisingTimeout = HCIErrorCode(rawValue: 0x3C)
  public static let connectionFailedToBeEstablished = HCIErrorCode(rawValue: 0x3E)
}
