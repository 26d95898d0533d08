/// The opcode of a command packet: the group in the top six bits, the command in the low ten.
/// Core Specification, Vol 4, Part E, 5.4.1. An open set: a host may send any value.
public struct HCIOpcode: RawRepresentable, Equatable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt16

  /// Any value, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

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
  /// Reads the name of a BR/EDR device: 7.3.12.
  public static let readLocalName = HCIOpcode(rawValue: 0x0C14)

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
  /// Sets the random address of an advertising set: 7.8.52.
  public static let leSetAdvertisingSetRandomAddress = HCIOpcode(rawValue: 0x2035)
  /// Sets the parameters of an advertising set: 7.8.53.
  public static let leSetExtendedAdvertisingParameters = HCIOpcode(rawValue: 0x2036)
  /// Sets the data of an advertising set: 7.8.54.
  public static let leSetExtendedAdvertisingData = HCIOpcode(rawValue: 0x2037)
  /// Sets the scan response data of an advertising set: 7.8.55.
  public static let leSetExtendedScanResponseData = HCIOpcode(rawValue: 0x2038)
  /// Starts or stops advertising sets: 7.8.56.
  public static let leSetExtendedAdvertisingEnable = HCIOpcode(rawValue: 0x2039)
  /// Reads how much data an advertising set may have: 7.8.57.
  public static let leReadMaximumAdvertisingDataLength = HCIOpcode(rawValue: 0x203A)
  /// Reads how many advertising sets there may be: 7.8.58.
  public static let leReadNumberOfSupportedAdvertisingSets = HCIOpcode(rawValue: 0x203B)
  /// Removes an advertising set: 7.8.59.
  public static let leRemoveAdvertisingSet = HCIOpcode(rawValue: 0x203C)
  /// Removes every advertising set: 7.8.60.
  public static let leClearAdvertisingSets = HCIOpcode(rawValue: 0x203D)
  /// Sets the parameters of a set's periodic advertising: 7.8.61.
  public static let leSetPeriodicAdvertisingParameters = HCIOpcode(rawValue: 0x203E)
  /// Sets the data of a set's periodic advertising: 7.8.62.
  public static let leSetPeriodicAdvertisingData = HCIOpcode(rawValue: 0x203F)
  /// Starts or stops a set's periodic advertising: 7.8.63.
  public static let leSetPeriodicAdvertisingEnable = HCIOpcode(rawValue: 0x2040)
  /// Sets the parameters of extended scanning: 7.8.64.
  public static let leSetExtendedScanParameters = HCIOpcode(rawValue: 0x2041)
  /// Starts or stops extended scanning: 7.8.65.
  public static let leSetExtendedScanEnable = HCIOpcode(rawValue: 0x2042)
  /// Connects to an advertiser on several PHYs: 7.8.66.
  public static let leExtendedCreateConnection = HCIOpcode(rawValue: 0x2043)
  /// Synchronizes with a periodic advertising train: 7.8.67.
  public static let lePeriodicAdvertisingCreateSync = HCIOpcode(rawValue: 0x2044)
  /// Cancels synchronizing: 7.8.68.
  public static let lePeriodicAdvertisingCreateSyncCancel = HCIOpcode(rawValue: 0x2045)
  /// Ends the synchronization with a train: 7.8.69.
  public static let lePeriodicAdvertisingTerminateSync = HCIOpcode(rawValue: 0x2046)
  /// Adds a set to the Periodic Advertiser list: 7.8.70.
  public static let leAddDeviceToPeriodicAdvertiserList = HCIOpcode(rawValue: 0x2047)
  /// Removes a set from the Periodic Advertiser list: 7.8.71.
  public static let leRemoveDeviceFromPeriodicAdvertiserList = HCIOpcode(rawValue: 0x2048)
  /// Clears the Periodic Advertiser list: 7.8.72.
  public static let leClearPeriodicAdvertiserList = HCIOpcode(rawValue: 0x2049)
  /// Reads the capacity of the Periodic Advertiser list: 7.8.73.
  public static let leReadPeriodicAdvertiserListSize = HCIOpcode(rawValue: 0x204A)
  /// Sets whether a device may use its identity address: 7.8.77.
  public static let leSetPrivacyMode = HCIOpcode(rawValue: 0x204E)
  /// `leGenerateDHKey` with a choice of the key pair: 7.8.37.
  public static let leGenerateDHKeyV2 = HCIOpcode(rawValue: 0x205E)
  /// Reads the sizes of the LE buffers, also isochronous ones: 7.8.2.
  public static let leReadBufferSizeV2 = HCIOpcode(rawValue: 0x2060)
  /// Sets a feature that the host supports: 7.8.115.
  public static let leSetHostFeature = HCIOpcode(rawValue: 0x2074)
  /// Sets which subrates the controller accepts from peripherals: 7.8.123.
  public static let leSetDefaultSubrate = HCIOpcode(rawValue: 0x207D)
  /// Requests another subrate of a link: 7.8.124.
  public static let leSubrateRequest = HCIOpcode(rawValue: 0x207E)
}

/// A command as the specification defines it. Only tools and virtual controllers read it: a host
/// knows the commands that it sends, each by its type.
public struct HCICommandDeclaration: Sendable {
  /// The event that answers a command.
  public enum Answer: Equatable, Sendable {
    /// Command Complete with this many bytes after the status.
    case complete(Int)
    /// Command Complete with the status, the command's handle, and this many bytes.
    case completeWithHandle(Int)
    /// Command Status, and another event later.
    case status
  }

  /// The name in the specification.
  public let name: StaticString
  /// The length of its parameters in bytes, or the least length.
  public let parameterLength: Int
  /// Whether the length depends on the parameters.
  public let hasVariableLength: Bool
  /// The event that answers it.
  public let answer: Answer
  /// Its bit in Read Local Supported Commands, as an octet and a bit of it; `nil` if it has none:
  /// Core Specification, Vol 4, Part E, 6.27.
  public let supportedBit: (octet: Int, bit: Int)?

  init(
    _ name: StaticString, _ parameterLength: Int, _ answer: Answer,
    bit supportedBit: (octet: Int, bit: Int)? = nil, orLonger hasVariableLength: Bool = false
  ) {
    self.name = name
    self.parameterLength = parameterLength
    self.hasVariableLength = hasVariableLength
    self.answer = answer
    self.supportedBit = supportedBit
  }
}

extension HCIOpcode {
  /// What the specification says of the command; `nil` for one that is not listed here, and for
  /// `none`: Core Specification, Vol 4, Part E, 6.27 and 7.
  public var declaration: HCICommandDeclaration? {
    switch self {
    case .disconnect: .init("Disconnect", 3, .status, bit: (0, 5))
    case .readRemoteVersionInformation:
      .init("Read Remote Version Information", 2, .status, bit: (2, 7))
    case .setEventMask: .init("Set Event Mask", 8, .complete(0), bit: (5, 6))
    case .reset: .init("Reset", 0, .complete(0), bit: (5, 7))
    case .readLocalName: .init("Read Local Name", 0, .complete(248), bit: (7, 1))
    case .readLocalVersionInformation:
      .init("Read Local Version Information", 0, .complete(8), bit: (14, 3))
    case .readLocalSupportedCommands: .init("Read Local Supported Commands", 0, .complete(64))
    case .readLocalSupportedFeatures:
      .init("Read Local Supported Features", 0, .complete(8), bit: (14, 5))
    case .readBufferSize: .init("Read Buffer Size", 0, .complete(7), bit: (14, 7))
    case .readBDADDR: .init("Read BD_ADDR", 0, .complete(6), bit: (15, 1))
    case .readRSSI: .init("Read RSSI", 2, .completeWithHandle(1), bit: (15, 5))
    case .leSetEventMask: .init("LE Set Event Mask", 8, .complete(0), bit: (25, 0))
    case .leReadBufferSize: .init("LE Read Buffer Size", 0, .complete(3), bit: (25, 1))
    case .leReadLocalSupportedFeatures:
      .init("LE Read Local Supported Features", 0, .complete(8), bit: (25, 2))
    case .leSetRandomAddress: .init("LE Set Random Address", 6, .complete(0), bit: (25, 4))
    case .leSetAdvertisingParameters:
      .init("LE Set Advertising Parameters", 15, .complete(0), bit: (25, 5))
    case .leReadAdvertisingChannelTxPower:
      .init("LE Read Advertising Physical Channel Tx Power", 0, .complete(1), bit: (25, 6))
    case .leSetAdvertisingData: .init("LE Set Advertising Data", 32, .complete(0), bit: (25, 7))
    case .leSetScanResponseData: .init("LE Set Scan Response Data", 32, .complete(0), bit: (26, 0))
    case .leSetAdvertisingEnable: .init("LE Set Advertising Enable", 1, .complete(0), bit: (26, 1))
    case .leSetScanParameters: .init("LE Set Scan Parameters", 7, .complete(0), bit: (26, 2))
    case .leSetScanEnable: .init("LE Set Scan Enable", 2, .complete(0), bit: (26, 3))
    case .leCreateConnection: .init("LE Create Connection", 25, .status, bit: (26, 4))
    case .leCreateConnectionCancel:
      .init("LE Create Connection Cancel", 0, .complete(0), bit: (26, 5))
    case .leReadFilterAcceptListSize:
      .init("LE Read Filter Accept List Size", 0, .complete(1), bit: (26, 6))
    case .leClearFilterAcceptList:
      .init("LE Clear Filter Accept List", 0, .complete(0), bit: (26, 7))
    case .leAddDeviceToFilterAcceptList:
      .init("LE Add Device To Filter Accept List", 7, .complete(0), bit: (27, 0))
    case .leRemoveDeviceFromFilterAcceptList:
      .init("LE Remove Device From Filter Accept List", 7, .complete(0), bit: (27, 1))
    case .leConnectionUpdate: .init("LE Connection Update", 14, .status, bit: (27, 2))
    case .leReadRemoteFeatures: .init("LE Read Remote Features", 2, .status, bit: (27, 5))
    case .leEncrypt: .init("LE Encrypt", 32, .complete(16), bit: (27, 6))
    case .leRand: .init("LE Rand", 0, .complete(8), bit: (27, 7))
    case .leEnableEncryption: .init("LE Enable Encryption", 28, .status, bit: (28, 0))
    case .leLongTermKeyRequestReply:
      .init("LE Long Term Key Request Reply", 18, .completeWithHandle(0), bit: (28, 1))
    case .leLongTermKeyRequestNegativeReply:
      .init("LE Long Term Key Request Negative Reply", 2, .completeWithHandle(0), bit: (28, 2))
    case .leReadSupportedStates: .init("LE Read Supported States", 0, .complete(8), bit: (28, 3))
    case .leRemoteConnectionParameterRequestReply:
      .init(
        "LE Remote Connection Parameter Request Reply", 14, .completeWithHandle(0), bit: (33, 4))
    case .leRemoteConnectionParameterRequestNegativeReply:
      .init(
        "LE Remote Connection Parameter Request Negative Reply", 3, .completeWithHandle(0),
        bit: (33, 5))
    case .leSetDataLength: .init("LE Set Data Length", 6, .completeWithHandle(0), bit: (33, 6))
    case .leReadSuggestedDefaultDataLength:
      .init("LE Read Suggested Default Data Length", 0, .complete(4), bit: (33, 7))
    case .leWriteSuggestedDefaultDataLength:
      .init("LE Write Suggested Default Data Length", 4, .complete(0), bit: (34, 0))
    case .leReadLocalP256PublicKey:
      .init("LE Read Local P-256 Public Key", 0, .status, bit: (34, 1))
    case .leGenerateDHKey: .init("LE Generate DHKey", 64, .status, bit: (34, 2))
    case .leAddDeviceToResolvingList:
      .init("LE Add Device To Resolving List", 39, .complete(0), bit: (34, 3))
    case .leRemoveDeviceFromResolvingList:
      .init("LE Remove Device From Resolving List", 7, .complete(0), bit: (34, 4))
    case .leClearResolvingList: .init("LE Clear Resolving List", 0, .complete(0), bit: (34, 5))
    case .leReadResolvingListSize:
      .init("LE Read Resolving List Size", 0, .complete(1), bit: (34, 6))
    case .leReadPeerResolvableAddress:
      .init("LE Read Peer Resolvable Address", 7, .complete(6), bit: (34, 7))
    case .leReadLocalResolvableAddress:
      .init("LE Read Local Resolvable Address", 7, .complete(6), bit: (35, 0))
    case .leSetAddressResolutionEnable:
      .init("LE Set Address Resolution Enable", 1, .complete(0), bit: (35, 1))
    case .leSetResolvablePrivateAddressTimeout:
      .init("LE Set Resolvable Private Address Timeout", 2, .complete(0), bit: (35, 2))
    case .leReadMaximumDataLength:
      .init("LE Read Maximum Data Length", 0, .complete(8), bit: (35, 3))
    case .leReadPHY: .init("LE Read PHY", 2, .completeWithHandle(2), bit: (35, 4))
    case .leSetDefaultPHY: .init("LE Set Default PHY", 3, .complete(0), bit: (35, 5))
    case .leSetPHY: .init("LE Set PHY", 7, .status, bit: (35, 6))
    case .leSetAdvertisingSetRandomAddress:
      .init("LE Set Advertising Set Random Address", 7, .complete(0), bit: (36, 1))
    case .leSetExtendedAdvertisingParameters:
      .init("LE Set Extended Advertising Parameters", 25, .complete(1), bit: (36, 2))
    case .leSetExtendedAdvertisingData:
      .init("LE Set Extended Advertising Data", 4, .complete(0), bit: (36, 3), orLonger: true)
    case .leSetExtendedScanResponseData:
      .init("LE Set Extended Scan Response Data", 4, .complete(0), bit: (36, 4), orLonger: true)
    case .leSetExtendedAdvertisingEnable:
      .init("LE Set Extended Advertising Enable", 2, .complete(0), bit: (36, 5), orLonger: true)
    case .leReadMaximumAdvertisingDataLength:
      .init("LE Read Maximum Advertising Data Length", 0, .complete(2), bit: (36, 6))
    case .leReadNumberOfSupportedAdvertisingSets:
      .init("LE Read Number of Supported Advertising Sets", 0, .complete(1), bit: (36, 7))
    case .leRemoveAdvertisingSet:
      .init("LE Remove Advertising Set", 1, .complete(0), bit: (37, 0))
    case .leClearAdvertisingSets:
      .init("LE Clear Advertising Sets", 0, .complete(0), bit: (37, 1))
    case .leSetPeriodicAdvertisingParameters:
      .init("LE Set Periodic Advertising Parameters", 7, .complete(0), bit: (37, 2))
    case .leSetPeriodicAdvertisingData:
      .init("LE Set Periodic Advertising Data", 3, .complete(0), bit: (37, 3), orLonger: true)
    case .leSetPeriodicAdvertisingEnable:
      .init("LE Set Periodic Advertising Enable", 2, .complete(0), bit: (37, 4))
    case .leSetExtendedScanParameters:
      .init("LE Set Extended Scan Parameters", 8, .complete(0), bit: (37, 5), orLonger: true)
    case .leSetExtendedScanEnable:
      .init("LE Set Extended Scan Enable", 6, .complete(0), bit: (37, 6))
    case .leExtendedCreateConnection:
      .init("LE Extended Create Connection", 26, .status, bit: (37, 7), orLonger: true)
    case .lePeriodicAdvertisingCreateSync:
      .init("LE Periodic Advertising Create Sync", 14, .status, bit: (38, 0))
    case .lePeriodicAdvertisingCreateSyncCancel:
      .init("LE Periodic Advertising Create Sync Cancel", 0, .complete(0), bit: (38, 1))
    case .lePeriodicAdvertisingTerminateSync:
      .init("LE Periodic Advertising Terminate Sync", 2, .complete(0), bit: (38, 2))
    case .leAddDeviceToPeriodicAdvertiserList:
      .init("LE Add Device To Periodic Advertiser List", 8, .complete(0), bit: (38, 3))
    case .leRemoveDeviceFromPeriodicAdvertiserList:
      .init("LE Remove Device From Periodic Advertiser List", 8, .complete(0), bit: (38, 4))
    case .leClearPeriodicAdvertiserList:
      .init("LE Clear Periodic Advertiser List", 0, .complete(0), bit: (38, 5))
    case .leReadPeriodicAdvertiserListSize:
      .init("LE Read Periodic Advertiser List Size", 0, .complete(1), bit: (38, 6))
    case .leSetPrivacyMode: .init("LE Set Privacy Mode", 8, .complete(0), bit: (39, 2))
    case .leGenerateDHKeyV2: .init("LE Generate DHKey [v2]", 65, .status, bit: (41, 2))
    case .leReadBufferSizeV2: .init("LE Read Buffer Size [v2]", 0, .complete(6), bit: (41, 5))
    case .leSetHostFeature: .init("LE Set Host Feature", 2, .complete(0), bit: (44, 1))
    case .leSetDefaultSubrate: .init("LE Set Default Subrate", 10, .complete(0), bit: (46, 0))
    case .leSubrateRequest: .init("LE Subrate Request", 12, .status, bit: (46, 1))
    default: nil
    }
  }

  /// The command's name in the specification; `nil` as for `declaration`.
  public var name: StaticString? { declaration?.name }
}
