import BluetoothHost

/// The names that the specification gives to commands and PDUs.
extension PacketDescription {
  package static func name(of opcode: HCIOpcode) -> String {
    switch opcode {
    case .none: "no command"
    case .disconnect: "Disconnect"
    case .readRemoteVersionInformation: "Read Remote Version Information"
    case .readRSSI: "Read RSSI"
    case .setEventMask: "Set Event Mask"
    case .reset: "Reset"
    case .readLocalVersionInformation: "Read Local Version Information"
    case .readLocalSupportedCommands: "Read Local Supported Commands"
    case .readLocalSupportedFeatures: "Read Local Supported Features"
    case .readBufferSize: "Read Buffer Size"
    case .readBDADDR: "Read BD_ADDR"
    case .leSetEventMask: "LE Set Event Mask"
    case .leReadBufferSize: "LE Read Buffer Size"
    case .leReadLocalSupportedFeatures: "LE Read Local Supported Features"
    case .leSetRandomAddress: "LE Set Random Address"
    case .leSetAdvertisingParameters: "LE Set Advertising Parameters"
    case .leReadAdvertisingChannelTxPower: "LE Read Advertising Physical Channel Tx Power"
    case .leSetAdvertisingData: "LE Set Advertising Data"
    case .leSetScanResponseData: "LE Set Scan Response Data"
    case .leSetAdvertisingEnable: "LE Set Advertising Enable"
    case .leSetScanParameters: "LE Set Scan Parameters"
    case .leSetScanEnable: "LE Set Scan Enable"
    case .leCreateConnection: "LE Create Connection"
    case .leCreateConnectionCancel: "LE Create Connection Cancel"
    case .leReadFilterAcceptListSize: "LE Read Filter Accept List Size"
    case .leClearFilterAcceptList: "LE Clear Filter Accept List"
    case .leAddDeviceToFilterAcceptList: "LE Add Device To Filter Accept List"
    case .leRemoveDeviceFromFilterAcceptList: "LE Remove Device From Filter Accept List"
    case .leConnectionUpdate: "LE Connection Update"
    case .leReadRemoteFeatures: "LE Read Remote Features"
    case .leEncrypt: "LE Encrypt"
    case .leRand: "LE Rand"
    case .leEnableEncryption: "LE Enable Encryption"
    case .leLongTermKeyRequestReply: "LE Long Term Key Request Reply"
    case .leLongTermKeyRequestNegativeReply: "LE Long Term Key Request Negative Reply"
    case .leReadSupportedStates: "LE Read Supported States"
    case .leRemoteConnectionParameterRequestReply: "LE Remote Connection Parameter Request Reply"
    case .leRemoteConnectionParameterRequestNegativeReply:
      "LE Remote Connection Parameter Request Negative Reply"
    case .leSetDataLength: "LE Set Data Length"
    case .leReadSuggestedDefaultDataLength: "LE Read Suggested Default Data Length"
    case .leWriteSuggestedDefaultDataLength: "LE Write Suggested Default Data Length"
    case .leReadLocalP256PublicKey: "LE Read Local P-256 Public Key"
    case .leGenerateDHKey: "LE Generate DHKey"
    case .leAddDeviceToResolvingList: "LE Add Device To Resolving List"
    case .leRemoveDeviceFromResolvingList: "LE Remove Device From Resolving List"
    case .leClearResolvingList: "LE Clear Resolving List"
    case .leReadResolvingListSize: "LE Read Resolving List Size"
    case .leReadPeerResolvableAddress: "LE Read Peer Resolvable Address"
    case .leReadLocalResolvableAddress: "LE Read Local Resolvable Address"
    case .leSetAddressResolutionEnable: "LE Set Address Resolution Enable"
    case .leSetResolvablePrivateAddressTimeout: "LE Set Resolvable Private Address Timeout"
    case .leReadMaximumDataLength: "LE Read Maximum Data Length"
    case .leReadPHY: "LE Read PHY"
    case .leSetDefaultPHY: "LE Set Default PHY"
    case .leSetPHY: "LE Set PHY"
    case .leSetPrivacyMode: "LE Set Privacy Mode"
    case .leGenerateDHKeyV2: "LE Generate DHKey [v2]"
    case .leReadBufferSizeV2: "LE Read Buffer Size [v2]"
    default: "command " + hexadecimal(opcode.rawValue)
    }
  }

  package static func name(of opcode: ATTOpcode) -> String {
    switch opcode {
    case .errorResponse: "Error Response"
    case .exchangeMTURequest: "Exchange MTU Request"
    case .exchangeMTUResponse: "Exchange MTU Response"
    case .findInformationRequest: "Find Information Request"
    case .findInformationResponse: "Find Information Response"
    case .findByTypeValueRequest: "Find By Type Value Request"
    case .findByTypeValueResponse: "Find By Type Value Response"
    case .readByTypeRequest: "Read By Type Request"
    case .readByTypeResponse: "Read By Type Response"
    case .readRequest: "Read Request"
    case .readResponse: "Read Response"
    case .readBlobRequest: "Read Blob Request"
    case .readBlobResponse: "Read Blob Response"
    case .readMultipleRequest: "Read Multiple Request"
    case .readMultipleResponse: "Read Multiple Response"
    case .readByGroupTypeRequest: "Read By Group Type Request"
    case .readByGroupTypeResponse: "Read By Group Type Response"
    case .writeRequest: "Write Request"
    case .writeResponse: "Write Response"
    case .prepareWriteRequest: "Prepare Write Request"
    case .prepareWriteResponse: "Prepare Write Response"
    case .executeWriteRequest: "Execute Write Request"
    case .executeWriteResponse: "Execute Write Response"
    case .handleValueNotification: "Handle Value Notification"
    case .handleValueIndication: "Handle Value Indication"
    case .handleValueConfirmation: "Handle Value Confirmation"
    case .readMultipleVariableRequest: "Read Multiple Variable Request"
    case .readMultipleVariableResponse: "Read Multiple Variable Response"
    case .multipleHandleValueNotification: "Multiple Handle Value Notification"
    case .writeCommand: "Write Command"
    case .signedWriteCommand: "Signed Write Command"
    default: "opcode " + hexadecimal(opcode.rawValue)
    }
  }

  /// Core Specification, Vol 3, Part A, 4.
  package static func signallingName(_ code: UInt8) -> String {
    switch code {
    case 0x01: "Command Reject"
    case 0x06: "Disconnection Request"
    case 0x07: "Disconnection Response"
    case 0x12: "Connection Parameter Update Request"
    case 0x13: "Connection Parameter Update Response"
    case 0x14: "LE Credit Based Connection Request"
    case 0x15: "LE Credit Based Connection Response"
    case 0x16: "Flow Control Credit Indication"
    case 0x17: "Credit Based Connection Request"
    case 0x18: "Credit Based Connection Response"
    default: "signalling command " + hexadecimal(code)
    }
  }

  /// Core Specification, Vol 3, Part H, 3.3.
  package static func securityName(_ code: UInt8) -> String {
    switch code {
    case 0x01: "Pairing Request"
    case 0x02: "Pairing Response"
    case 0x03: "Pairing Confirm"
    case 0x04: "Pairing Random"
    case 0x05: "Pairing Failed"
    case 0x06: "Encryption Information"
    case 0x07: "Central Identification"
    case 0x08: "Identity Information"
    case 0x09: "Identity Address Information"
    case 0x0A: "Signing Information"
    case 0x0B: "Security Request"
    case 0x0C: "Pairing Public Key"
    case 0x0D: "Pairing DHKey Check"
    case 0x0E: "Pairing Keypress Notification"
    default: "command " + hexadecimal(code)
    }
  }

  /// Core Specification, Vol 3, Part F, 3.4.1.1; 0xFC to 0xFE are from its Supplement, Part B, 1.2.
  package static func name(of code: ATTErrorCode) -> String {
    switch code {
    case .invalidHandle: "Invalid Handle"
    case .readNotPermitted: "Read Not Permitted"
    case .writeNotPermitted: "Write Not Permitted"
    case .invalidPDU: "Invalid PDU"
    case .insufficientAuthentication: "Insufficient Authentication"
    case .requestNotSupported: "Request Not Supported"
    case .invalidOffset: "Invalid Offset"
    case .insufficientAuthorization: "Insufficient Authorization"
    case .prepareQueueFull: "Prepare Queue Full"
    case .attributeNotFound: "Attribute Not Found"
    case .attributeNotLong: "Attribute Not Long"
    case .insufficientEncryptionKeySize: "Encryption Key Size Too Short"
    case .invalidAttributeValueLength: "Invalid Attribute Value Length"
    case .unlikelyError: "Unlikely Error"
    case .insufficientEncryption: "Insufficient Encryption"
    case .unsupportedGroupType: "Unsupported Group Type"
    case .insufficientResources: "Insufficient Resources"
    case .databaseOutOfSync: "Database Out Of Sync"
    case .valueNotAllowed: "Value Not Allowed"
    case ATTErrorCode(rawValue: 0xFC): "Write Request Rejected"
    case .cccdImproperlyConfigured:
      "Client Characteristic Configuration Descriptor Improperly Configured"
    case ATTErrorCode(rawValue: 0xFE): "Procedure Already in Progress"
    default: "error " + hexadecimal(code.rawValue)
    }
  }
}
