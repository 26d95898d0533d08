/// Why a controller refused a command or ended a link, and the reason a host gives for ending one.
///
/// Core Specification, Vol 1, Part F. An open set: a controller may send any byte.
public struct HCIErrorCode: RawRepresentable, Equatable, Sendable {
  /// The number as it is sent.
  public var rawValue: UInt8

  /// Any number, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// It worked.
  public static let success = HCIErrorCode(rawValue: 0x00)
  /// The controller does not know the command.
  public static let unknownCommand = HCIErrorCode(rawValue: 0x01)
  /// There is no such link.
  public static let unknownConnectionIdentifier = HCIErrorCode(rawValue: 0x02)
  /// The controller has failed.
  public static let hardwareFailure = HCIErrorCode(rawValue: 0x03)
  /// Pairing or encryption failed.
  public static let authenticationFailure = HCIErrorCode(rawValue: 0x05)
  /// There is no key for the link.
  public static let pinOrKeyMissing = HCIErrorCode(rawValue: 0x06)
  /// The controller has no memory left.
  public static let memoryCapacityExceeded = HCIErrorCode(rawValue: 0x07)
  /// The other side was not heard for the supervision time-out.
  public static let connectionTimeout = HCIErrorCode(rawValue: 0x08)
  /// The controller has as many links as it can have.
  public static let connectionLimitExceeded = HCIErrorCode(rawValue: 0x09)
  /// There is a link to this device already.
  public static let connectionAlreadyExists = HCIErrorCode(rawValue: 0x0B)
  /// Not in the state that the controller is in.
  public static let commandDisallowed = HCIErrorCode(rawValue: 0x0C)
  /// The other side has no room for the link.
  public static let rejectedDueToLimitedResources = HCIErrorCode(rawValue: 0x0D)
  /// The controller cannot do that, or not with these parameters.
  public static let unsupportedFeatureOrParameterValue = HCIErrorCode(rawValue: 0x11)
  /// A parameter is out of its range.
  public static let invalidCommandParameters = HCIErrorCode(rawValue: 0x12)
  /// The other side ended the link: the usual reason.
  public static let remoteUserTerminatedConnection = HCIErrorCode(rawValue: 0x13)
  /// The other side is being switched off.
  public static let remoteDevicePoweredOff = HCIErrorCode(rawValue: 0x15)
  /// This side ended the link.
  public static let connectionTerminatedByLocalHost = HCIErrorCode(rawValue: 0x16)
  /// The other side cannot do that.
  public static let unsupportedRemoteFeature = HCIErrorCode(rawValue: 0x1A)
  /// None of the other codes fits.
  public static let unspecifiedError = HCIErrorCode(rawValue: 0x1F)
  /// The other side did not answer a procedure of the link layer.
  public static let linkLayerResponseTimeout = HCIErrorCode(rawValue: 0x22)
  /// The connection parameters are not wanted.
  public static let unacceptableConnectionParameters = HCIErrorCode(rawValue: 0x3B)
  /// Directed advertising ended without a link.
  public static let advertisingTimeout = HCIErrorCode(rawValue: 0x3C)
  /// A packet of an encrypted link did not fit its key: the two sides' keys differ.
  public static let micFailure = HCIErrorCode(rawValue: 0x3D)
  /// The other side was not heard after the link was begun.
  public static let connectionFailedToBeEstablished = HCIErrorCode(rawValue: 0x3E)
}
