import Foundation

/// The domain of `CBError`.
public let CBErrorDomain = "CBErrorDomain"

/// An error other than a peer's response in the attribute protocol.
///
/// Apple's `CBError`: an `NSError` of the domain `CBErrorDomain`. A cast to `NSError` and back
/// preserves it.
public struct CBError: _BridgedStoredNSError, LocalizedError {
  /// The error as Foundation has it.
  public let _nsError: NSError

  /// The error that `error` is. Its domain is not checked: `error as? CBError` checks it.
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
      domain: CBErrorDomain, code: code.rawValue,
      userInfo: [NSLocalizedDescriptionKey: code.sentence].merging(userInfo) { $1 })
  }

  /// The code.
  public var code: Code { Code(rawValue: _nsError.code) ?? .unknown }
  /// `CBErrorDomain`.
  public static var errorDomain: String { CBErrorDomain }
  /// `CBErrorDomain`, under the name that Foundation uses.
  public static var _nsErrorDomain: String { CBErrorDomain }
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

extension CBError {
  /// `Code.unknown`.
  public static var unknown: Code { .unknown }
  /// `Code.invalidParameters`.
  public static var invalidParameters: Code { .invalidParameters }
  /// `Code.invalidHandle`.
  public static var invalidHandle: Code { .invalidHandle }
  /// `Code.notConnected`.
  public static var notConnected: Code { .notConnected }
  /// `Code.outOfSpace`.
  public static var outOfSpace: Code { .outOfSpace }
  /// `Code.operationCancelled`.
  public static var operationCancelled: Code { .operationCancelled }
  /// `Code.connectionTimeout`.
  public static var connectionTimeout: Code { .connectionTimeout }
  /// `Code.peripheralDisconnected`.
  public static var peripheralDisconnected: Code { .peripheralDisconnected }
  /// `Code.uuidNotAllowed`.
  public static var uuidNotAllowed: Code { .uuidNotAllowed }
  /// `Code.alreadyAdvertising`.
  public static var alreadyAdvertising: Code { .alreadyAdvertising }
  /// `Code.connectionFailed`.
  public static var connectionFailed: Code { .connectionFailed }
  /// `Code.connectionLimitReached`.
  public static var connectionLimitReached: Code { .connectionLimitReached }
  /// `Code.unknownDevice`.
  public static var unknownDevice: Code { .unknownDevice }
  /// `Code.operationNotSupported`.
  public static var operationNotSupported: Code { .operationNotSupported }
  /// `Code.peerRemovedPairingInformation`.
  public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
  /// `Code.encryptionTimedOut`.
  public static var encryptionTimedOut: Code { .encryptionTimedOut }
  /// `Code.tooManyLEPairedDevices`.
  public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
  /// `Code.leGattExceededBackgroundNotificationLimit`.
  public static var leGattExceededBackgroundNotificationLimit: Code {
    .leGattExceededBackgroundNotificationLimit
  }
  /// `Code.leGattNearBackgroundNotificationLimit`.
  public static var leGattNearBackgroundNotificationLimit: Code {
    .leGattNearBackgroundNotificationLimit
  }
}

// A cast from an `NSError` uses this. It checks the domain.
extension CBError: _ObjectiveCBridgeable {
  /// The error as Foundation has it.
  public func _bridgeToObjectiveC() -> NSError { _nsError }
  /// What `error as! CBError` gives.
  public static func _forceBridgeFromObjectiveC(_ error: NSError, result: inout Self?) {
    result = _unconditionallyBridgeFromObjectiveC(error)
  }
  /// What `error as? CBError` gives.
  public static func _conditionallyBridgeFromObjectiveC(
    _ error: NSError, result: inout Self?
  ) -> Bool {
    result = Self(_bridgedNSError: error)
    return result != nil
  }
  /// The error that `error` is; traps for one of another domain, as every forced cast does.
  public static func _unconditionallyBridgeFromObjectiveC(_ error: NSError?) -> Self {
    guard let error, let result = Self(_bridgedNSError: error) else {
      preconditionFailure("\(error as Any) is no CBError")
    }
    return result
  }
}
