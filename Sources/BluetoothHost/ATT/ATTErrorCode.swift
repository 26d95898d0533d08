/// The reason why a server refused a request.
///
/// Core Specification, Vol 3, Part F, 3.4.1.1. An open set: a peer may send any byte, and the
/// attribute's service defines 0x80 to 0x9F.
public struct ATTErrorCode: RawRepresentable, Equatable, Error, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

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
  /// Another error; the ball's answer to a write that is no question.
  public static let unlikelyError = ATTErrorCode(rawValue: 0x0E)
  /// The request requires encryption first.
  public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
  /// The type is no grouping type.
  public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
  /// The server lacks resources for the request.
  public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
  /// The client's cache of the database is out of date.
  public static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
  /// The attribute cannot have this value.
  public static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
  /// The characteristic does not support this Client Characteristic Configuration: Core
  /// Specification Supplement, Part B, 1.2.
  public static let cccdImproperlyConfigured = ATTErrorCode(rawValue: 0xFD)
}
