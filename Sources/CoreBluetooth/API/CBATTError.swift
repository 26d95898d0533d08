import BluetoothHost
import Foundation
import LinuxRadio

/// The domain of `CBATTError`.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// An error of the attribute protocol: a peer's response, or the result of a peripheral's response.
///
/// Apple's `CBATTError`: an `NSError` of the domain `CBATTErrorDomain`. A cast to `NSError` and
/// back preserves it.
public struct CBATTError: _BridgedStoredNSError, LocalizedError {
  /// The error as Foundation has it.
  public let _nsError: NSError

  /// The error that `error` is. Its domain is not checked: `error as? CBATTError` checks it.
  public init(_nsError error: NSError) { _nsError = error }

  /// An error with `code` and further information.
  ///
  /// - Parameter code: The code of the error.
  /// - Parameter userInfo: Foundation's keys and their values. The code's sentence is added if
  ///   `NSLocalizedDescriptionKey` is missing.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    _nsError = NSError(
      domain: CBATTErrorDomain, code: code.rawValue,
      userInfo: [NSLocalizedDescriptionKey: code.sentence].merging(userInfo) { $1 })
  }

  /// The code.
  public var code: Code { Code(rawValue: _nsError.code) ?? .unlikelyError }
  /// `CBATTErrorDomain`.
  public static var errorDomain: String { CBATTErrorDomain }
  /// `CBATTErrorDomain`, under the name that Foundation uses.
  public static var _nsErrorDomain: String { CBATTErrorDomain }
  /// A sentence for people, as Apple words it.
  public var errorDescription: String? {
    _nsError.userInfo[NSLocalizedDescriptionKey] as? String ?? code.sentence
  }
  /// The domain, the code and the sentence, as an `NSError` prints them on Apple's systems.
  public var description: String { _nsError.summary(errorDescription) }

  /// Whether the codes are the same.
  public static func == (one: Self, other: Self) -> Bool { one.code == other.code }
  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
  /// The hash of the code.
  public var hashValue: Int { code.hashValue }
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

// A cast from an `NSError` uses this. It checks the domain.
extension CBATTError: _ObjectiveCBridgeable {
  /// The error as Foundation has it.
  public func _bridgeToObjectiveC() -> NSError { _nsError }
  /// What `error as! CBATTError` gives.
  public static func _forceBridgeFromObjectiveC(_ error: NSError, result: inout Self?) {
    result = _unconditionallyBridgeFromObjectiveC(error)
  }
  /// What `error as? CBATTError` gives.
  public static func _conditionallyBridgeFromObjectiveC(_ error: NSError, result: inout Self?)
    -> Bool
  {
    result = Self(_bridgedNSError: error)
    return result != nil
  }
  /// The error that `error` is; traps for one of another domain, as every forced cast does.
  public static func _unconditionallyBridgeFromObjectiveC(_ error: NSError?) -> Self {
    guard let error, let result = Self(_bridgedNSError: error) else {
      preconditionFailure("\(error as Any) is not a CBATTError")
    }
    return result
  }
}

extension CBATTError {
  /// The error codes of the Core Specification, Vol 3, Part F, 3.4.1.1. A peer may send any.
  ///
  /// It holds any number, with or without a name, as Apple's does. The cases are those that have a
  /// name: a `switch` that lists them needs an `@unknown default`, or a `default`, for the others.
  @nonexhaustive(warn)
  public enum Code: _ErrorCodeProtocol, RawRepresentable, Hashable, Sendable {
    /// The error with this code.
    public typealias _ErrorType = CBATTError

    /// It worked: a result, not an error.
    case success
    /// There is no attribute with this handle.
    case invalidHandle
    /// The attribute cannot be read.
    case readNotPermitted
    /// The attribute cannot be written.
    case writeNotPermitted
    /// The request was malformed.
    case invalidPdu
    /// The link is not authenticated as the attribute demands.
    case insufficientAuthentication
    /// The server does not know the request.
    case requestNotSupported
    /// The offset is past the value's end.
    case invalidOffset
    /// The client is not authorised as the attribute demands.
    case insufficientAuthorization
    /// Too many parts of long values have been prepared.
    case prepareQueueFull
    /// There is no such attribute in the range.
    case attributeNotFound
    /// The attribute cannot be read in parts.
    case attributeNotLong
    /// The link's key is too short.
    case insufficientEncryptionKeySize
    /// The value's length does not suit the attribute.
    case invalidAttributeValueLength
    /// An unlikely error. The 8-Ball responds with it to a statement that is not a question.
    case unlikelyError
    /// The link is not encrypted as the attribute demands.
    case insufficientEncryption
    /// The attribute type is not a grouping type.
    case unsupportedGroupType
    /// The server has no room for it.
    case insufficientResources
    /// A number without a name. Since the case is unavailable, no `switch` has to list it.
    @available(*, unavailable) case other(Int)

    /// The same cases in the same order, so the layout is the same. Here `other` is available.
    private enum Storage: Equatable {
      case success, invalidHandle, readNotPermitted, writeNotPermitted, invalidPdu
      case insufficientAuthentication, requestNotSupported, invalidOffset
      case insufficientAuthorization, prepareQueueFull, attributeNotFound, attributeNotLong
      case insufficientEncryptionKeySize, invalidAttributeValueLength, unlikelyError
      case insufficientEncryption, unsupportedGroupType, insufficientResources
      case other(Int)

      /// The cases with a name. The index is the number.
      static let named: [Self] = [
        .success, .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPdu,
        .insufficientAuthentication, .requestNotSupported, .invalidOffset,
        .insufficientAuthorization, .prepareQueueFull, .attributeNotFound, .attributeNotLong,
        .insufficientEncryptionKeySize, .invalidAttributeValueLength, .unlikelyError,
        .insufficientEncryption, .unsupportedGroupType, .insufficientResources,
      ]
    }

    /// The code with this number: never `nil`, but optional, as Apple's is.
    public init?(rawValue: Int) {
      let isNamed = Storage.named.indices.contains(rawValue)
      let storage = isNamed ? Storage.named[rawValue] : .other(rawValue)
      self = unsafe unsafeBitCast(storage, to: Self.self)
    }

    /// The number. Only 0 to 255 can be sent.
    public var rawValue: Int {
      let storage = unsafe unsafeBitCast(self, to: Storage.self)
      if case .other(let number) = storage { return number }
      return Storage.named.firstIndex(of: storage) ?? -1
    }

    /// Whether the numbers are the same.
    public static func == (one: Self, other: Self) -> Bool { one.rawValue == other.rawValue }
    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
  }
}

extension CBATTError.Code {
  /// A sentence for people, as Apple words it.
  var sentence: String {
    self == .success ? "Success." : ATTErrorCode.sentence(of: rawValue)
  }
}
