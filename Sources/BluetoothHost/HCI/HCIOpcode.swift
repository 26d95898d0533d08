/// The opcode of a command packet: the group in the top six bits, the command in the low ten.
///
/// Core Specification, Vol 4, Part E, 5.4.1. An open set: a host may send any value.
public struct HCIOpcode: RawRepresentable, Equatable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt16

  /// Any value, known or not.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// No command: for an answer that only returns command credits.
  public static let none = HCIOpcode(rawValue: 0x0000)

  // Link control, 7.1.
  /// Ends a link: 7.1.6.
  public static let disconnect = HCIOpcode(rawValue: 0x0406)
  /// Reads the version of the peer's controller: 7.1.23.
  public static let readRemoteVersionInformation = HCIOpcode(rawValue: 0x041D)

  // Controller and baseband, 7.3.
  /// Selects the events: 7.3.1.
  public static let setEventMask = HCIOpcode(rawValue: 0x0C01)
  /// Resets the controller: 7.3.2.
  public static let reset = HCIOpcode(rawValue: 0x0C03)

  // Informational, 7.4.
  /// Reads the controller's version: 7.4.1.
  public static let readLocalVersionInformation = HCIOpcode(rawValue: 0x1001)
  /// Reads the supported commands: 7.4.2.
  public static let readLocalSupportedCommands = HCIOpcode(rawValue: 0x1002)
  /// Reads the supported features: 7.4.3.
  public static let readLocalSupportedFeatures = HCIOpcode(rawValue: 0x1003)
  /// Reads the sizes of buffers shared with BR/EDR: 7.4.5.
  public static let readBufferSize = HCIOpcode(rawValue: 0x1005)
  /// Reads the public address: 7.4.6.
  public static let readBDADDR = HCIOpcode(rawValue: 0x1009)

  // Status, 7.5.
  /// Reads the peer's signal strength: 7.5.4.
  public static let readRSSI = HCIOpcode(rawValue: 0x1405)

  // LE controller, 7.8.
  /// Selects the LE events: 7.8.1.
  public static let leSetEventMask = HCIOpcode(rawValue: 0x2001)
  /// Reads the sizes of the LE buffers: 7.8.2.
  public static let leReadBufferSize = HCIOpcode(rawValue: 0x2002)
  /// Reads the supported LE features: 7.8.3.
  public static let leReadLocalSupportedFeatures = HCIOpcode(rawValue: 0x2003)
  /// Sets the random address: 7.8.4.
  public static let leSetRandomAddress = HCIOpcode(rawValue: 0x2005)
  /// Sets the parameters of advertising: 7.8.5.
  public static let leSetAdvertisingParameters = HCIOpcode(rawValue: 0x2006)
  /// Reads the transmit power of advertising: 7.8.6.
  public static let leReadAdvertisingChannelTxPower = HCIOpcode(rawValue: 0x2007)
  /// Sets the advertising data: 7.8.7.
  public static let leSetAdvertisingData = HCIOpcode(rawValue: 0x2008)
  /// Sets the scan response data: 7.8.8.
  public static let leSetScanResponseData = HCIOpcode(rawValue: 0x2009)
  /// Starts or stops advertising: 7.8.9.
  public static let leSetAdvertisingEnable = HCIOpcode(rawValue: 0x200A)
  /// Sets the parameters of scanning: 7.8.10.
  public static let leSetScanParameters = HCIOpcode(rawValue: 0x200B)
  /// Starts or stops scanning: 7.8.11.
  public static let leSetScanEnable = HCIOpcode(rawValue: 0x200C)
  /// Connects to an advertiser: 7.8.12.
  public static let leCreateConnection = HCIOpcode(rawValue: 0x200D)
  /// Cancels connecting: 7.8.13.
  public static let leCreateConnectionCancel = HCIOpcode(rawValue: 0x200E)
  /// Reads the capacity of the filter accept list: 7.8.14.
  public static let leReadFilterAcceptListSize = HCIOpcode(rawValue: 0x200F)
  /// Clears the filter accept list: 7.8.15.
  public static let leClearFilterAcceptList = HCIOpcode(rawValue: 0x2010)
  /// Adds a device to the filter accept list: 7.8.16.
  public static let leAddDeviceToFilterAcceptList = HCIOpcode(rawValue: 0x2011)
  /// Removes a device from the filter accept list: 7.8.17.
  public static let leRemoveDeviceFromFilterAcceptList = HCIOpcode(rawValue: 0x2012)
  /// Changes a link's parameters: 7.8.18.
  public static let leConnectionUpdate = HCIOpcode(rawValue: 0x2013)
  /// Reads the peer's LE features: 7.8.21.
  public static let leReadRemoteFeatures = HCIOpcode(rawValue: 0x2016)
  /// Encrypts one block: 7.8.22.
  public static let leEncrypt = HCIOpcode(rawValue: 0x2017)
  /// Returns a random number: 7.8.23.
  public static let leRand = HCIOpcode(rawValue: 0x2018)
  /// Encrypts a link, or changes its key: 7.8.24.
  public static let leEnableEncryption = HCIOpcode(rawValue: 0x2019)
  /// Answers a key request with the key: 7.8.25.
  public static let leLongTermKeyRequestReply = HCIOpcode(rawValue: 0x201A)
  /// Answers a key request without a key: 7.8.26.
  public static let leLongTermKeyRequestNegativeReply = HCIOpcode(rawValue: 0x201B)
  /// Reads the supported combinations of states: 7.8.27.
  public static let leReadSupportedStates = HCIOpcode(rawValue: 0x201C)
  /// Accepts the requested parameters: 7.8.31.
  public static let leRemoteConnectionParameterRequestReply = HCIOpcode(rawValue: 0x2020)
  /// Refuses the requested parameters: 7.8.32.
  public static let leRemoteConnectionParameterRequestNegativeReply = HCIOpcode(rawValue: 0x2021)
  /// Suggests the packet length of a link: 7.8.33.
  public static let leSetDataLength = HCIOpcode(rawValue: 0x2022)
  /// Reads the suggested packet length of new links: 7.8.34.
  public static let leReadSuggestedDefaultDataLength = HCIOpcode(rawValue: 0x2023)
  /// Sets the suggested packet length of new links: 7.8.35.
  public static let leWriteSuggestedDefaultDataLength = HCIOpcode(rawValue: 0x2024)
  /// Generates a P-256 key pair: 7.8.36.
  public static let leReadLocalP256PublicKey = HCIOpcode(rawValue: 0x2025)
  /// Computes the shared key with the peer: 7.8.37.
  public static let leGenerateDHKey = HCIOpcode(rawValue: 0x2026)
  /// Adds a device to the resolving list: 7.8.38.
  public static let leAddDeviceToResolvingList = HCIOpcode(rawValue: 0x2027)
  /// Removes a device from the resolving list: 7.8.39.
  public static let leRemoveDeviceFromResolvingList = HCIOpcode(rawValue: 0x2028)
  /// Clears the resolving list: 7.8.40.
  public static let leClearResolvingList = HCIOpcode(rawValue: 0x2029)
  /// Reads the capacity of the resolving list: 7.8.41.
  public static let leReadResolvingListSize = HCIOpcode(rawValue: 0x202A)
  /// Reads the peer's current private address: 7.8.42.
  public static let leReadPeerResolvableAddress = HCIOpcode(rawValue: 0x202B)
  /// Reads the controller's current private address for a peer: 7.8.43.
  public static let leReadLocalResolvableAddress = HCIOpcode(rawValue: 0x202C)
  /// Starts or stops address resolution: 7.8.44.
  public static let leSetAddressResolutionEnable = HCIOpcode(rawValue: 0x202D)
  /// Sets the lifetime of private addresses: 7.8.45.
  public static let leSetResolvablePrivateAddressTimeout = HCIOpcode(rawValue: 0x202E)
  /// Reads the maximum packet length: 7.8.46.
  public static let leReadMaximumDataLength = HCIOpcode(rawValue: 0x202F)
  /// Reads the PHYs of a link: 7.8.47.
  public static let leReadPHY = HCIOpcode(rawValue: 0x2030)
  /// Sets the preferred PHYs of new links: 7.8.48.
  public static let leSetDefaultPHY = HCIOpcode(rawValue: 0x2031)
  /// Sets the preferred PHYs of a link: 7.8.49.
  public static let leSetPHY = HCIOpcode(rawValue: 0x2032)
  /// Sets whether a device may use its identity address: 7.8.77.
  public static let leSetPrivacyMode = HCIOpcode(rawValue: 0x204E)
  /// `leGenerateDHKey` with a choice of the key pair: 7.8.37.
  public static let leGenerateDHKeyV2 = HCIOpcode(rawValue: 0x205E)
  /// Reads the sizes of the LE buffers, also isochronous ones: 7.8.2.
  public static let leReadBufferSizeV2 = HCIOpcode(rawValue: 0x2060)
}
