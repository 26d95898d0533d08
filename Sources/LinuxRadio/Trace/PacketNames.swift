import BluetoothHost

/// The names that the specification gives to commands and PDUs.
extension PacketDescription {
  static func name(of opcode: HCIOpcode) -> String {
    switch opcode {
    case .none: "no command"
    case .disconnect: "Disconnect"
    case .readRemoteVersionInformation: "Read Remote Version Information"
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
    case .leSetAdvertisingData: "LE Set Advertising Data"
    case .leSetScanResponseData: "LE Set Scan Response Data"
    case .leSetAdvertisingEnable: "LE Set Advertising Enable"
    case .leSetScanParameters: "LE Set Scan Parameters"
    case .leSetScanEnable: "LE Set Scan Enable"
    case .leCreateConnection: "LE Create Connection"
    case .leCreateConnectionCancel: "LE Create Connection Cancel"
    case .leConnectionUpdate: "LE Connection Update"
    case .leReadRemoteFeatures: "LE Read Remote Features"
    case .leLongTermKeyRequestNegativeReply: "LE Long Term Key Request Negative Reply"
    case .leReadSupportedStates: "LE Read Supported States"
    case .leRemoteConnectionParameterRequestReply: "LE Remote Connection Parameter Request Reply"
    case .leRemoteConnectionParameterRequestNegativeReply:
      "LE Remote Connection Parameter Request Negative Reply"
    case .leSetDataLength: "LE Set Data Length"
    case .leReadPHY: "LE Read PHY"
    case .leSetDefaultPHY: "LE Set Default PHY"
    case .leSetPHY: "LE Set PHY"
    case .leReadBufferSizeV2: "LE Read Buffer Size [v2]"
    default: "command " + hexadecimal(opcode.rawValue)
    }
  }

  static func name(of opcode: ATTOpcode) -> String {
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
  static func signallingName(_ code: UInt8) -> String {
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
  static func securityName(_ code: UInt8) -> String {
    switch code {
    case 0x01: "Pairing Request"
    case 0x02: "Pairing Response"
    case 0x05: "Pairing Failed"
    case 0x0B: "Security Request"
    default: "command " + hexadecimal(code)
    }
  }
}
