/// Why a server refused a request.
///
/// Core Specification, Vol 3, Part F, 3.4.1.1. An open set: a peer may send any byte, and 0x80 to
/// 0x9F belong to the service that the attribute is part of.
public struct ATTErrorCode: RawRepresentable, Equatable, Error, Sendable {
  /// The number as it is sent.
  public var rawValue: UInt8

  /// Any number, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// There is no such attribute.
  public static let invalidHandle = ATTErrorCode(rawValue: 0x01)
  /// It may not be read.
  public static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
  /// It may not be written.
  public static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
  /// The request is malformed.
  public static let invalidPDU = ATTErrorCode(rawValue: 0x04)
  /// It takes pairing first.
  public static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
  /// The server does not know the request.
  public static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
  /// The offset is beyond the value's end.
  public static let invalidOffset = ATTErrorCode(rawValue: 0x07)
  /// It takes the user's leave.
  public static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
  /// There is no room for more prepared parts.
  public static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
  /// Nothing in the range is of that type.
  public static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
  /// The value cannot be read in parts.
  public static let attributeNotLong = ATTErrorCode(rawValue: 0x0B)
  /// The key is too short.
  public static let insufficientEncryptionKeySize = ATTErrorCode(rawValue: 0x0C)
  /// The value is too long, or too short.
  public static let invalidAttributeValueLength = ATTErrorCode(rawValue: 0x0D)
  /// Something else; of the ball, that it was not asked a question.
  public static let unlikelyError = ATTErrorCode(rawValue: 0x0E)
  /// It takes encryption first.
  public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
  /// That type groups nothing.
  public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
  /// The server has no room.
  public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
  /// The database has changed since the client learnt it.
  public static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
  /// The value is none that the attribute can have.
  public static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
  /// Core Specification Supplement, Part B, 1.2.
  public static let cccdImproperlyConfigured = ATTErrorCode(rawValue: 0xFD)
}
