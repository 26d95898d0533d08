import Foundation

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
  public init(_nsError error: NSError) {
    _nsError = error
  }

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
  public static func _conditionallyBridgeFromObjectiveC(
    _ error: NSError, result: inout Self?
  ) -> Bool {
    result = Self(_bridgedNSError: error)
    return result != nil
  }
  /// The error that `error` is; traps for one of another domain, as every forced cast does.
  public static func _unconditionallyBridgeFromObjectiveC(_ error: NSError?) -> Self {
    guard let error, let result = Self(_bridgedNSError: error) else {
      preconditionFailure("\(error as Any) is no CBATTError")
    }
    return result
  }
}
