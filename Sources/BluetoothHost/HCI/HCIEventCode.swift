/// Which event an event packet is.
///
/// Core Specification, Vol 4, Part E, 7.7. An open set: a controller may send any byte.
public struct HCIEventCode: RawRepresentable, Equatable, Sendable {
  public var rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let disconnectionComplete = HCIEventCode(rawValue: 0x05)
  public static let encryptionChange = HCIEventCode(rawValue: 0x08)
  public static let readRemoteVersionInformationComplete = HCIEventCode(rawValue: 0x0C)
  public static let commandComplete = HCIEventCode(rawValue: 0x0E)
  public static let commandStatus = HCIEventCode(rawValue: 0x0F)
  public static let hardwareError = HCIEventCode(rawValue: 0x10)
  public static let numberOfCompletedPackets = HCIEventCode(rawValue: 0x13)
  public static let leMeta = HCIEventCode(rawValue: 0x3E)
}

/// Which LE event an LE Meta event carries: its first parameter.
///
/// Core Specification, Vol 4, Part E, 7.7.65. An open set.
public struct LEMetaSubevent: RawRepresentable, Equatable, Sendable {
  public var rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let connectionComplete = LEMetaSubevent(rawValue: 0x01)
  public static let advertisingReport = LEMetaSubevent(rawValue: 0x02)
  public static let connectionUpdateComplete = LEMetaSubevent(rawValue: 0x03)
  public static let readRemoteFeaturesComplete = LEMetaSubevent(rawValue: 0x04)
  public static let longTermKeyRequest = LEMetaSubevent(rawValue: 0x05)
  public static let remoteConnectionParameterRequest = LEMetaSubevent(rawValue: 0x06)
  public static let dataLengthChange = LEMetaSubevent(rawValue: 0x07)
  public static let enhancedConnectionComplete = LEMetaSubevent(rawValue: 0x0A)
  public static let phyUpdateComplete = LEMetaSubevent(rawValue: 0x0C)
  public static let extendedAdvertisingReport = LEMetaSubevent(rawValue: 0x0D)
}
