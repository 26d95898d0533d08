/// An ATT PDU's first byte, of any value: Core Specification, Vol 3, Part F, 3.4.8.
public struct ATTOpcode: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Whether it is a command, which has no response: bit 6.
  public var isCommand: Bool { rawValue & 0x40 != 0 }

  /// Refuses a request: 3.4.1.1.
  public static let errorResponse = ATTOpcode(rawValue: 0x01)
  /// Gives the client's receive MTU: 3.4.2.1.
  public static let exchangeMTURequest = ATTOpcode(rawValue: 0x02)
  /// Gives the server's receive MTU: 3.4.2.2.
  public static let exchangeMTUResponse = ATTOpcode(rawValue: 0x03)
  /// Requests the types of attributes: 3.4.3.1.
  public static let findInformationRequest = ATTOpcode(rawValue: 0x04)
  /// Handles and types: 3.4.3.2.
  public static let findInformationResponse = ATTOpcode(rawValue: 0x05)
  /// Requests the attributes with a value: 3.4.3.3.
  public static let findByTypeValueRequest = ATTOpcode(rawValue: 0x06)
  /// Handles and the ends of their groups: 3.4.3.4.
  public static let findByTypeValueResponse = ATTOpcode(rawValue: 0x07)
  /// Requests the values of one type: 3.4.4.1.
  public static let readByTypeRequest = ATTOpcode(rawValue: 0x08)
  /// Handles and values: 3.4.4.2.
  public static let readByTypeResponse = ATTOpcode(rawValue: 0x09)
  /// Requests a value: 3.4.4.3.
  public static let readRequest = ATTOpcode(rawValue: 0x0A)
  /// The value, or its first part: 3.4.4.4.
  public static let readResponse = ATTOpcode(rawValue: 0x0B)
  /// Requests a further part of a value: 3.4.4.5.
  public static let readBlobRequest = ATTOpcode(rawValue: 0x0C)
  /// A further part of the value: 3.4.4.6.
  public static let readBlobResponse = ATTOpcode(rawValue: 0x0D)
  /// Requests several values of known lengths: 3.4.4.7.
  public static let readMultipleRequest = ATTOpcode(rawValue: 0x0E)
  /// The values, concatenated: 3.4.4.8.
  public static let readMultipleResponse = ATTOpcode(rawValue: 0x0F)
  /// Requests the groups of one type, such as services: 3.4.4.9.
  public static let readByGroupTypeRequest = ATTOpcode(rawValue: 0x10)
  /// Handle ranges and values: 3.4.4.10.
  public static let readByGroupTypeResponse = ATTOpcode(rawValue: 0x11)
  /// Writes a value, with a response: 3.4.5.1.
  public static let writeRequest = ATTOpcode(rawValue: 0x12)
  /// Confirms the write: 3.4.5.2.
  public static let writeResponse = ATTOpcode(rawValue: 0x13)
  /// Queues a part of a value: 3.4.6.1.
  public static let prepareWriteRequest = ATTOpcode(rawValue: 0x16)
  /// Echoes the queued part: 3.4.6.2.
  public static let prepareWriteResponse = ATTOpcode(rawValue: 0x17)
  /// Writes the queued parts, or discards them: 3.4.6.3.
  public static let executeWriteRequest = ATTOpcode(rawValue: 0x18)
  /// Confirms that: 3.4.6.4.
  public static let executeWriteResponse = ATTOpcode(rawValue: 0x19)
  /// Sends a value without confirmation: 3.4.7.1.
  public static let handleValueNotification = ATTOpcode(rawValue: 0x1B)
  /// Sends a value with confirmation: 3.4.7.2.
  public static let handleValueIndication = ATTOpcode(rawValue: 0x1D)
  /// Confirms an indication: 3.4.7.3.
  public static let handleValueConfirmation = ATTOpcode(rawValue: 0x1E)
  /// Requests several values of any length: 3.4.4.11.
  public static let readMultipleVariableRequest = ATTOpcode(rawValue: 0x20)
  /// Each value after its length: 3.4.4.12.
  public static let readMultipleVariableResponse = ATTOpcode(rawValue: 0x21)
  /// Sends several values without confirmation: 3.4.7.4.
  public static let multipleHandleValueNotification = ATTOpcode(rawValue: 0x23)
  /// Writes a value without a response: 3.4.5.3.
  public static let writeCommand = ATTOpcode(rawValue: 0x52)
  /// Writes a signed value without a response: 3.4.5.4.
  public static let signedWriteCommand = ATTOpcode(rawValue: 0xD2)

  /// The PDU's name in the specification; `nil` for a value that is not listed here.
  public var name: StaticString? {
    switch self {
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
    default: nil
    }
  }
}
