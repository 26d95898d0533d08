/// Why a controller refused a command or a link ended, or the reason for a host to end it.
/// Core Specification, Vol 1, Part F. An open set: a controller may send any byte.
public struct HCIErrorCode: RawRepresentable, Equatable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Success.
  public static let success = HCIErrorCode(rawValue: 0x00)
  /// The controller does not support the command.
  public static let unknownCommand = HCIErrorCode(rawValue: 0x01)
  /// The link does not exist.
  public static let unknownConnectionIdentifier = HCIErrorCode(rawValue: 0x02)
  /// The controller has failed.
  public static let hardwareFailure = HCIErrorCode(rawValue: 0x03)
  /// Pairing or encryption failed.
  public static let authenticationFailure = HCIErrorCode(rawValue: 0x05)
  /// There is no key for the link.
  public static let pinOrKeyMissing = HCIErrorCode(rawValue: 0x06)
  /// The controller has no memory left.
  public static let memoryCapacityExceeded = HCIErrorCode(rawValue: 0x07)
  /// The peer was silent for the supervision timeout.
  public static let connectionTimeout = HCIErrorCode(rawValue: 0x08)
  /// The controller has its maximum number of links.
  public static let connectionLimitExceeded = HCIErrorCode(rawValue: 0x09)
  /// A link to this device exists already.
  public static let connectionAlreadyExists = HCIErrorCode(rawValue: 0x0B)
  /// The controller's state does not allow the command.
  public static let commandDisallowed = HCIErrorCode(rawValue: 0x0C)
  /// The peer has no room for the link.
  public static let rejectedDueToLimitedResources = HCIErrorCode(rawValue: 0x0D)
  /// The controller does not support this feature or value.
  public static let unsupportedFeatureOrParameterValue = HCIErrorCode(rawValue: 0x11)
  /// A parameter is out of its range.
  public static let invalidCommandParameters = HCIErrorCode(rawValue: 0x12)
  /// The peer ended the link: the usual reason.
  public static let remoteUserTerminatedConnection = HCIErrorCode(rawValue: 0x13)
  /// The peer is powering off.
  public static let remoteDevicePoweredOff = HCIErrorCode(rawValue: 0x15)
  /// This device ended the link.
  public static let connectionTerminatedByLocalHost = HCIErrorCode(rawValue: 0x16)
  /// The peer does not support the feature.
  public static let unsupportedRemoteFeature = HCIErrorCode(rawValue: 0x1A)
  /// No other code applies.
  public static let unspecifiedError = HCIErrorCode(rawValue: 0x1F)
  /// The peer did not answer a link-layer procedure.
  public static let linkLayerResponseTimeout = HCIErrorCode(rawValue: 0x22)
  /// The connection parameters are unacceptable.
  public static let unacceptableConnectionParameters = HCIErrorCode(rawValue: 0x3B)
  /// Directed advertising ended without a link.
  public static let advertisingTimeout = HCIErrorCode(rawValue: 0x3C)
  /// A packet of an encrypted link failed its integrity check: the keys differ.
  public static let micFailure = HCIErrorCode(rawValue: 0x3D)
  /// No packet of the peer arrived on the new link.
  public static let connectionFailedToBeEstablished = HCIErrorCode(rawValue: 0x3E)
  /// There is no such advertising set.
  public static let unknownAdvertisingIdentifier = HCIErrorCode(rawValue: 0x42)
  /// A limit that the host has set was reached.
  public static let limitReached = HCIErrorCode(rawValue: 0x43)
  /// The host has cancelled the operation.
  public static let operationCancelledByHost = HCIErrorCode(rawValue: 0x44)
  /// The data does not fit the packets of this advertising.
  public static let packetTooLong = HCIErrorCode(rawValue: 0x45)
}
