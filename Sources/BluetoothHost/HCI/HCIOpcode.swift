/// Which command a command packet is: the group in the top six bits, the command in the low ten.
///
/// Core Specification, Vol 4, Part E, 5.4.1. An open set: a host may send any value.
public struct HCIOpcode: RawRepresentable, Equatable, Sendable {
  /// The number as it is sent.
  public var rawValue: UInt16

  /// Any number, known or not.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// What a controller answers when it only means to give back command credits.
  public static let none = HCIOpcode(rawValue: 0x0000)

  // Link control, 7.1.
  /// Ends a link: 7.1.6.
  public static let disconnect = HCIOpcode(rawValue: 0x0406)
  /// Which controller the other side has: 7.1.23.
  public static let readRemoteVersionInformation = HCIOpcode(rawValue: 0x041D)

  // Controller and baseband, 7.3.
  /// Which events are wanted: 7.3.1.
  public static let setEventMask = HCIOpcode(rawValue: 0x0C01)
  /// Begins anew: 7.3.2.
  public static let reset = HCIOpcode(rawValue: 0x0C03)

  // Informational, 7.4.
  /// Which controller this is: 7.4.1.
  public static let readLocalVersionInformation = HCIOpcode(rawValue: 0x1001)
  /// Which commands it knows: 7.4.2.
  public static let readLocalSupportedCommands = HCIOpcode(rawValue: 0x1002)
  /// What it can do: 7.4.3.
  public static let readLocalSupportedFeatures = HCIOpcode(rawValue: 0x1003)
  /// Its buffers, shared with BR/EDR: 7.4.5.
  public static let readBufferSize = HCIOpcode(rawValue: 0x1005)
  /// Its public address: 7.4.6.
  public static let readBDADDR = HCIOpcode(rawValue: 0x1009)

  // Status, 7.5.
  /// How strongly the other side is heard: 7.5.4.
  public static let readRSSI = HCIOpcode(rawValue: 0x1405)

  // LE controller, 7.8.
  /// Which LE events are wanted: 7.8.1.
  public static let leSetEventMask = HCIOpcode(rawValue: 0x2001)
  /// Its buffers for LE: 7.8.2.
  public static let leReadBufferSize = HCIOpcode(rawValue: 0x2002)
  /// What it can do over LE: 7.8.3.
  public static let leReadLocalSupportedFeatures = HCIOpcode(rawValue: 0x2003)
  /// The random address to go by: 7.8.4.
  public static let leSetRandomAddress = HCIOpcode(rawValue: 0x2005)
  /// How to advertise: 7.8.5.
  public static let leSetAdvertisingParameters = HCIOpcode(rawValue: 0x2006)
  /// How strongly it advertises: 7.8.6.
  public static let leReadAdvertisingChannelTxPower = HCIOpcode(rawValue: 0x2007)
  /// What to say in advertisements: 7.8.7.
  public static let leSetAdvertisingData = HCIOpcode(rawValue: 0x2008)
  /// What to say to those who ask: 7.8.8.
  public static let leSetScanResponseData = HCIOpcode(rawValue: 0x2009)
  /// Starts or ends advertising: 7.8.9.
  public static let leSetAdvertisingEnable = HCIOpcode(rawValue: 0x200A)
  /// How to scan: 7.8.10.
  public static let leSetScanParameters = HCIOpcode(rawValue: 0x200B)
  /// Starts or ends scanning: 7.8.11.
  public static let leSetScanEnable = HCIOpcode(rawValue: 0x200C)
  /// Connects to an advertiser: 7.8.12.
  public static let leCreateConnection = HCIOpcode(rawValue: 0x200D)
  /// Gives up connecting: 7.8.13.
  public static let leCreateConnectionCancel = HCIOpcode(rawValue: 0x200E)
  /// How many devices its filter accept list holds: 7.8.14.
  public static let leReadFilterAcceptListSize = HCIOpcode(rawValue: 0x200F)
  /// Removes all devices from that list: 7.8.15.
  public static let leClearFilterAcceptList = HCIOpcode(rawValue: 0x2010)
  /// Adds one: 7.8.16.
  public static let leAddDeviceToFilterAcceptList = HCIOpcode(rawValue: 0x2011)
  /// Removes one: 7.8.17.
  public static let leRemoveDeviceFromFilterAcceptList = HCIOpcode(rawValue: 0x2012)
  /// Changes a link's parameters: 7.8.18.
  public static let leConnectionUpdate = HCIOpcode(rawValue: 0x2013)
  /// What the other side can do: 7.8.21.
  public static let leReadRemoteFeatures = HCIOpcode(rawValue: 0x2016)
  /// Encrypts one block: 7.8.22.
  public static let leEncrypt = HCIOpcode(rawValue: 0x2017)
  /// Gives a random number: 7.8.23.
  public static let leRand = HCIOpcode(rawValue: 0x2018)
  /// Encrypts a link, or gives it a new key: 7.8.24.
  public static let leEnableEncryption = HCIOpcode(rawValue: 0x2019)
  /// The key for a link: 7.8.25.
  public static let leLongTermKeyRequestReply = HCIOpcode(rawValue: 0x201A)
  /// There is no key for a link: 7.8.26.
  public static let leLongTermKeyRequestNegativeReply = HCIOpcode(rawValue: 0x201B)
  /// Which states it can be in together: 7.8.27.
  public static let leReadSupportedStates = HCIOpcode(rawValue: 0x201C)
  /// Accepts the parameters asked for: 7.8.31.
  public static let leRemoteConnectionParameterRequestReply = HCIOpcode(rawValue: 0x2020)
  /// Refuses the parameters asked for: 7.8.32.
  public static let leRemoteConnectionParameterRequestNegativeReply = HCIOpcode(rawValue: 0x2021)
  /// Suggests longer packets over the air: 7.8.33.
  public static let leSetDataLength = HCIOpcode(rawValue: 0x2022)
  /// How long packets over the air of new links may be: 7.8.34.
  public static let leReadSuggestedDefaultDataLength = HCIOpcode(rawValue: 0x2023)
  /// Suggests that: 7.8.35.
  public static let leWriteSuggestedDefaultDataLength = HCIOpcode(rawValue: 0x2024)
  /// Makes a P-256 key pair: 7.8.36.
  public static let leReadLocalP256PublicKey = HCIOpcode(rawValue: 0x2025)
  /// Agrees on a key with the other side: 7.8.37.
  public static let leGenerateDHKey = HCIOpcode(rawValue: 0x2026)
  /// Adds a device whose addresses the controller resolves: 7.8.38.
  public static let leAddDeviceToResolvingList = HCIOpcode(rawValue: 0x2027)
  /// Removes one: 7.8.39.
  public static let leRemoveDeviceFromResolvingList = HCIOpcode(rawValue: 0x2028)
  /// Removes all: 7.8.40.
  public static let leClearResolvingList = HCIOpcode(rawValue: 0x2029)
  /// How many there may be: 7.8.41.
  public static let leReadResolvingListSize = HCIOpcode(rawValue: 0x202A)
  /// The private address that the other side uses: 7.8.42.
  public static let leReadPeerResolvableAddress = HCIOpcode(rawValue: 0x202B)
  /// The private address that the controller uses for it: 7.8.43.
  public static let leReadLocalResolvableAddress = HCIOpcode(rawValue: 0x202C)
  /// Starts or ends resolving: 7.8.44.
  public static let leSetAddressResolutionEnable = HCIOpcode(rawValue: 0x202D)
  /// How long a private address is used: 7.8.45.
  public static let leSetResolvablePrivateAddressTimeout = HCIOpcode(rawValue: 0x202E)
  /// How long packets over the air may be at most: 7.8.46.
  public static let leReadMaximumDataLength = HCIOpcode(rawValue: 0x202F)
  /// Which physical layers a link uses: 7.8.47.
  public static let leReadPHY = HCIOpcode(rawValue: 0x2030)
  /// Which ones links are to use: 7.8.48.
  public static let leSetDefaultPHY = HCIOpcode(rawValue: 0x2031)
  /// Suggests others for a link: 7.8.49.
  public static let leSetPHY = HCIOpcode(rawValue: 0x2032)
  /// Whether a device may use its identity address: 7.8.77.
  public static let leSetPrivacyMode = HCIOpcode(rawValue: 0x204E)
  /// As `leGenerateDHKey`, with a choice of the key pair: 7.8.37.
  public static let leGenerateDHKeyV2 = HCIOpcode(rawValue: 0x205E)
  /// Its buffers for LE, isochronous ones too: 7.8.2.
  public static let leReadBufferSizeV2 = HCIOpcode(rawValue: 0x2060)
}
