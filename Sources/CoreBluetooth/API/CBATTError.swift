import Foundation

/// The domain of `CBATTError`.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// What the other side said by the attribute protocol; or what a peripheral says, as the result of
/// a request.
///
/// Apple's `CBATTError`, with the numbers of the Core Specification, Vol 3, Part F, 3.4.1.1.
public struct CBATTError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// The error codes. Any number a peer may send has a place here, not only those with a name.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number as it is sent: 0 to 255.
    public var rawValue: Int

    /// Any number, known or not: never `nil`, but optional, as Apple's is.
    public init?(rawValue: Int) {
      self.rawValue = rawValue
    }

    private init(_ rawValue: Int) {
      self.rawValue = rawValue
    }

    /// It worked: a result, not an error.
    public static let success = Code(0x00)
    /// There is no attribute with this handle.
    public static let invalidHandle = Code(0x01)
    /// The attribute cannot be read.
    public static let readNotPermitted = Code(0x02)
    /// The attribute cannot be written.
    public static let writeNotPermitted = Code(0x03)
    /// The request was malformed.
    public static let invalidPdu = Code(0x04)
    /// The link is not authenticated as the attribute demands.
    public static let insufficientAuthentication = Code(0x05)
    /// The server does not know the request.
    public static let requestNotSupported = Code(0x06)
    /// The offset lies behind the value's end.
    public static let invalidOffset = Code(0x07)
    /// The client is not authorised as the attribute demands.
    public static let insufficientAuthorization = Code(0x08)
    /// Too many parts of long values have been prepared.
    public static let prepareQueueFull = Code(0x09)
    /// There is no such attribute in the range.
    public static let attributeNotFound = Code(0x0A)
    /// The attribute cannot be read in parts.
    public static let attributeNotLong = Code(0x0B)
    /// The link's key is too short.
    public static let insufficientEncryptionKeySize = Code(0x0C)
    /// The value's length does not suit the attribute.
    public static let invalidAttributeValueLength = Code(0x0D)
    /// Something unlikely: the 8-ball's word for a statement that is no question.
    public static let unlikelyError = Code(0x0E)
    /// The link is not encrypted as the attribute demands.
    public static let insufficientEncryption = Code(0x0F)
    /// The attribute type groups nothing.
    public static let unsupportedGroupType = Code(0x10)
    /// The server has no room for it.
    public static let insufficientResources = Code(0x11)
  }

  /// What was said.
  public let code: Code

  /// The error `code`.
  public init(_ code: Code) {
    self.code = code
  }

  /// `CBATTErrorDomain`.
  public static var errorDomain: String { CBATTErrorDomain }
  /// The number of `code`.
  public var errorCode: Int { code.rawValue }
  /// The sentence for people, as NSError wants it.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }

  /// A sentence for people, as Apple words it.
  public var errorDescription: String? {
    switch code {
    case .success: "Success."
    case .invalidHandle: "The handle is invalid."
    case .readNotPermitted: "Reading is not permitted."
    case .writeNotPermitted: "Writing is not permitted."
    case .invalidPdu: "The command is invalid."
    case .insufficientAuthentication: "Authentication is insufficient."
    case .requestNotSupported: "The request is not supported."
    case .invalidOffset: "The offset is invalid."
    case .insufficientAuthorization: "Authorization is insufficient."
    case .prepareQueueFull: "Prepare queue is full."
    case .attributeNotFound: "The attribute could not be found."
    case .attributeNotLong: "The attribute is not long."
    case .insufficientEncryptionKeySize: "The encryption key size is insufficient."
    case .invalidAttributeValueLength: "The value's length is invalid."
    case .unlikelyError: "Unlikely error."
    case .insufficientEncryption: "Encryption is insufficient."
    case .unsupportedGroupType: "The group type is unsupported."
    case .insufficientResources: "Resources are insufficient."
    default: "Unknown ATT error 0x\(String(code.rawValue, radix: 16, uppercase: true))."
    }
  }

}

extension CBATTError.Code {
  /// Lets `catch CBATTError.unlikelyError` tell the code.
  public static func ~= (code: CBATTError.Code, error: any Error) -> Bool {
    (error as? CBATTError)?.code == code
  }
}

extension CBATTError {
  /// `Code.success`.
  public static var success: Code { .success }
  /// `Code.invalidHandle`.
  public static var invalidHandle: Code { .invalidHandle }
  /// `Code.readNotPermitted`.
  public static var readNotPermitted: Code { .readNotPermitted }
  /// `Code.writeNotPermitted`.
  public static var writeNotPermitted: Code { .writeNotPermitted }
  /// `Code.invalidPdu`.
  public static var invalidPdu: Code { .invalidPdu }
  /// `Code.insufficientAuthentication`.
  public static var insufficientAuthentication: Code { .insufficientAuthentication }
  /// `Code.requestNotSupported`.
  public static var requestNotSupported: Code { .requestNotSupported }
  /// `Code.invalidOffset`.
  public static var invalidOffset: Code { .invalidOffset }
  /// `Code.insufficientAuthorization`.
  public static var insufficientAuthorization: Code { .insufficientAuthorization }
  /// `Code.prepareQueueFull`.
  public static var prepareQueueFull: Code { .prepareQueueFull }
  /// `Code.attributeNotFound`.
  public static var attributeNotFound: Code { .attributeNotFound }
  /// `Code.attributeNotLong`.
  public static var attributeNotLong: Code { .attributeNotLong }
  /// `Code.insufficientEncryptionKeySize`.
  public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
  /// `Code.invalidAttributeValueLength`.
  public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
  /// `Code.unlikelyError`.
  public static var unlikelyError: Code { .unlikelyError }
  /// `Code.insufficientEncryption`.
  public static var insufficientEncryption: Code { .insufficientEncryption }
  /// `Code.unsupportedGroupType`.
  public static var unsupportedGroupType: Code { .unsupportedGroupType }
  /// `Code.insufficientResources`.
  public static var insufficientResources: Code { .insufficientResources }
}
