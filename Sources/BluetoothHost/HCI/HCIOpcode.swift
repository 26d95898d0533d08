/// Which command a command packet is: the group in the top six bits, the command in the low ten.
///
/// Core Specification, Vol 4, Part E, 5.4.1. An open set: a host may send any value.
public struct HCIOpcode: RawRepresentable, Equatable, Sendable {
  public var rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// What a controller answers when it only means to give back command credits.
  public static let none = HCIOpcode(rawValue: 0x0000)

  // Link control, 7.1.
  public static let disconnect = HCIOpcode(rawValue: 0x0406)
  public static let readRemoteVersionInformation = HCIOpcode(rawValue: 0x041D)

  // Controller and baseband, 7.3.
  public static let setEventMask = HCIOpcode(rawValue: 0x0C01)
  public static let reset = HCIOpcode(rawValue: 0x0C03)

  // Informational, 7.4.
  public static let readLocalVersionInformation = HCIOpcode(rawValue: 0x1001)
  public static let readLocalSupportedCommands = HCIOpcode(rawValue: 0x1002)
  public static let readLocalSupportedFeatures = HCIOpcode(rawValue: 0x1003)
  public static let readBufferSize = HCIOpcode(rawValue: 0x1005)
  public static let readBDADDR = HCIOpcode(rawValue: 0x1009)

  // LE controller, 7.8.
  public static let leSetEventMask = HCIOpcode(rawValue: 0x2001)
  public static let leReadBufferSize = HCIOpcode(rawValue: 0x2002)
  public static let leReadLocalSupportedFeatures = HCIOpcode(rawValue: 0x2003)
  public static let leSetRandomAddress = HCIOpcode(rawValue: 0x2005)
  public static let leSetAdvertisingParameters = HCIOpcode(rawValue: 0x2006)
  public static let leSetAdvertisingData = HCIOpcode(rawValue: 0x2008)
  public static let leSetScanResponseData = HCIOpcode(rawValue: 0x2009)
  public static let leSetAdvertisingEnable = HCIOpcode(rawValue: 0x200A)
  public static let leSetScanParameters = HCIOpcode(rawValue: 0x200B)
  public static let leSetScanEnable = HCIOpcode(rawValue: 0x200C)
  public static let leCreateConnection = HCIOpcode(rawValue: 0x200D)
  public static let leCreateConnectionCancel = HCIOpcode(rawValue: 0x200E)
  public static let leConnectionUpdate = HCIOpcode(rawValue: 0x2013)
  public static let leReadRemoteFeatures = HCIOpcode(rawValue: 0x2016)
  public static let leLongTermKeyRequestNegativeReply = HCIOpcode(rawValue: 0x201B)
  public static let leReadSupportedStates = HCIOpcode(rawValue: 0x201C)
  public static let leRemoteConnectionParameterRequestReply = HCIOpcode(rawValue: 0x2020)
  public static let leRemoteConnectionParameterRequestNegativeReply = HCIOpcode(rawValue: 0x2021)
  public static let leSetDataLength = HCIOpcode(rawValue: 0x2022)
  public static let leReadPHY = HCIOpcode(rawValue: 0x2030)
  public static let leSetDefaultPHY = HCIOpcode(rawValue: 0x2031)
  public static let leSetPHY = HCIOpcode(rawValue: 0x2032)
  public static let leReadBufferSizeV2 = HCIOpcode(rawValue: 0x2060)
}
