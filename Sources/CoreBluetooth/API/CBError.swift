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
  public init(_nsError error: NSError) { _nsError = error }

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
  public static func _conditionallyBridgeFromObjectiveC(_ error: NSError, result: inout Self?)
    -> Bool
  {
    result = Self(_bridgedNSError: error)
    return result != nil
  }
  /// The error that `error` is; traps for one of another domain, as every forced cast does.
  public static func _unconditionallyBridgeFromObjectiveC(_ error: NSError?) -> Self {
    guard let error, let result = Self(_bridgedNSError: error) else {
      preconditionFailure("\(error as Any) is not a CBError")
    }
    return result
  }
}

extension CBError {
  /// The kinds of errors, with Apple's numbers.
  ///
  /// It holds any number, with or without a name, as Apple's does. The cases are those that have a
  /// name: a `switch` that lists them needs an `@unknown default`, or a `default`, for the others.
  @nonexhaustive(warn)
  public enum Code: _ErrorCodeProtocol, RawRepresentable, Hashable, Sendable {
    /// The error with this code.
    public typealias _ErrorType = CBError

    /// Unknown.
    case unknown
    /// A parameter cannot be used.
    case invalidParameters
    /// An attribute's handle is not valid.
    case invalidHandle
    /// The device is not connected.
    case notConnected
    /// There is no room for more.
    case outOfSpace
    /// It was cancelled.
    case operationCancelled
    /// The connection was lost: the supervision timeout has passed.
    case connectionTimeout
    /// The other side ended the connection.
    case peripheralDisconnected
    /// The UUID may not be used.
    case uuidNotAllowed
    /// The peripheral is advertising already.
    case alreadyAdvertising
    /// The connection could not be made.
    case connectionFailed
    /// The limit of connections is reached.
    case connectionLimitReached
    /// The device is not known.
    case unknownDevice
    /// The operation is not supported.
    case operationNotSupported
    /// The other side has forgotten the pairing.
    case peerRemovedPairingInformation
    /// Encryption did not start in time.
    case encryptionTimedOut
    /// Too many devices are paired.
    case tooManyLEPairedDevices
    /// Too many notifications for a program in the background.
    case leGattExceededBackgroundNotificationLimit
    /// Nearly too many notifications for a program in the background.
    case leGattNearBackgroundNotificationLimit
    /// A number without a name. Since the case is unavailable, no `switch` has to list it.
    @available(*, unavailable) case other(Int)

    /// The same cases in the same order, so the layout is the same. Here `other` is available.
    private enum Storage: Equatable {
      case unknown, invalidParameters, invalidHandle, notConnected, outOfSpace
      case operationCancelled, connectionTimeout, peripheralDisconnected, uuidNotAllowed
      case alreadyAdvertising, connectionFailed, connectionLimitReached, unknownDevice
      case operationNotSupported, peerRemovedPairingInformation, encryptionTimedOut
      case tooManyLEPairedDevices, leGattExceededBackgroundNotificationLimit
      case leGattNearBackgroundNotificationLimit
      case other(Int)

      /// The cases with a name. The index is the number.
      static let named: [Self] = [
        .unknown, .invalidParameters, .invalidHandle, .notConnected, .outOfSpace,
        .operationCancelled, .connectionTimeout, .peripheralDisconnected, .uuidNotAllowed,
        .alreadyAdvertising, .connectionFailed, .connectionLimitReached, .unknownDevice,
        .operationNotSupported, .peerRemovedPairingInformation, .encryptionTimedOut,
        .tooManyLEPairedDevices, .leGattExceededBackgroundNotificationLimit,
        .leGattNearBackgroundNotificationLimit,
      ]
    }

    /// The code with this number: never `nil`, but optional, as Apple's is.
    public init?(rawValue: Int) {
      let isNamed = Storage.named.indices.contains(rawValue)
      let storage = isNamed ? Storage.named[rawValue] : .other(rawValue)
      self = unsafe unsafeBitCast(storage, to: Self.self)
    }

    /// The number.
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

extension CBError.Code {
  /// A sentence for people, as Apple words it.
  var sentence: String {
    switch self {
    case .unknown: "Unknown error."
    case .invalidParameters: "One or more parameters were invalid."
    case .invalidHandle: "The handle is invalid."
    case .notConnected: "The specified device is not connected."
    case .outOfSpace: "The device has run out of space."
    case .operationCancelled: "The operation was cancelled."
    case .connectionTimeout: "The connection has timed out unexpectedly."
    case .peripheralDisconnected: "The specified device has disconnected from us."
    case .uuidNotAllowed: "The specified UUID is not allowed for this operation."
    case .alreadyAdvertising: "Advertising has already started."
    case .connectionFailed: "The connection has failed unexpectedly."
    case .connectionLimitReached: "The maximum number of connections has been reached."
    case .unknownDevice: "The device is unknown."
    case .operationNotSupported: "The operation is not supported."
    case .peerRemovedPairingInformation: "Peer removed pairing information."
    case .encryptionTimedOut:
      "Failed to encrypt the connection, the connection has timed out unexpectedly."
    case .tooManyLEPairedDevices: "Too many LE paired devices."
    case .leGattExceededBackgroundNotificationLimit: "Exceeded the background notification limit."
    case .leGattNearBackgroundNotificationLimit: "Near the background notification limit."
    default: "Unknown error \(rawValue)."
    }
  }

  /// `unknownDevice`, as Apple once spelled it.
  public static var unkownDevice: Self { .unknownDevice }
}
