/// Why a server refused a request: Core Specification, Vol 3, Part F, 3.4.1.1. A service defines
/// 0x80 to 0x9F.
public struct ATTErrorCode: RawRepresentable, Equatable, Error, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The attribute does not exist.
  public static let invalidHandle = ATTErrorCode(rawValue: 0x01)
  /// The attribute may not be read.
  public static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
  /// The attribute may not be written.
  public static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
  /// The request is malformed.
  public static let invalidPDU = ATTErrorCode(rawValue: 0x04)
  /// The request requires pairing first.
  public static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
  /// The server does not support the request.
  public static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
  /// The offset is beyond the value's end.
  public static let invalidOffset = ATTErrorCode(rawValue: 0x07)
  /// The request requires the user's authorization.
  public static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
  /// The prepare queue has no more room.
  public static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
  /// The range has no attribute of this type.
  public static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
  /// The value cannot be read in parts.
  public static let attributeNotLong = ATTErrorCode(rawValue: 0x0B)
  /// The key is too short.
  public static let insufficientEncryptionKeySize = ATTErrorCode(rawValue: 0x0C)
  /// The value is too long, or too short.
  public static let invalidAttributeValueLength = ATTErrorCode(rawValue: 0x0D)
  /// Another error; the ball's answer to a write that is not a question.
  public static let unlikelyError = ATTErrorCode(rawValue: 0x0E)
  /// The request requires encryption first.
  public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
  /// The type is not a grouping type.
  public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
  /// The server lacks resources for the request.
  public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
  /// The client's cache of the database is out of date.
  public static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
  /// The attribute cannot have this value.
  public static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
  // Core Specification Supplement, Part B, 1.2.
  /// The server rejects the value for a reason of the service.
  public static let writeRequestRejected = ATTErrorCode(rawValue: 0xFC)
  /// The characteristic does not support this Client Characteristic Configuration.
  public static let cccdImproperlyConfigured = ATTErrorCode(rawValue: 0xFD)
  /// A procedure of the service is still in progress.
  public static let procedureAlreadyInProgress = ATTErrorCode(rawValue: 0xFE)

  /// The name in the specification; `nil` for a value that is not listed here.
  public var name: StaticString? {
    switch self {
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
    case .writeRequestRejected: "Write Request Rejected"
    case .cccdImproperlyConfigured:
      "Client Characteristic Configuration Descriptor Improperly Configured"
    case .procedureAlreadyInProgress: "Procedure Already in Progress"
    default: nil
    }
  }
}
