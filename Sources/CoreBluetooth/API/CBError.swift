import Foundation

/// The domain of `CBError`.
public let CBErrorDomain = "CBErrorDomain"

/// What went wrong, other than what the other side said by the attribute protocol.
///
/// Apple's `CBError`, with the same numbers.
public struct CBError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// The kinds of errors.
  public enum Code: Int, Hashable, Sendable {
    /// Unknown.
    case unknown = 0
    /// A parameter cannot be used.
    case invalidParameters = 1
    /// An attribute's handle is not valid.
    case invalidHandle = 2
    /// The device is not connected.
    case notConnected = 3
    /// There is no room for more.
    case outOfSpace = 4
    /// It was cancelled.
    case operationCancelled = 5
    /// The connection was lost: nothing was heard for too long.
    case connectionTimeout = 6
    /// The other side ended the connection.
    case peripheralDisconnected = 7
    /// The UUID may not be used.
    case uuidNotAllowed = 8
    /// The peripheral is advertising already.
    case alreadyAdvertising = 9
    /// The connection could not be made.
    case connectionFailed = 10
    /// There are as many connections as there can be.
    case connectionLimitReached = 11
    /// The device is not known.
    case unknownDevice = 12
    /// It cannot be done.
    case operationNotSupported = 13
    /// The other side has forgotten the pairing.
    case peerRemovedPairingInformation = 14
    /// Encryption was not begun in time.
    case encryptionTimedOut = 15
    /// Too many devices are paired.
    case tooManyLEPairedDevices = 16
    /// Too many notifications for a program in the background.
    case leGattExceededBackgroundNotificationLimit = 17
    /// Nearly too many notifications for a program in the background.
    case leGattNearBackgroundNotificationLimit = 18
  }

  /// What kind of error.
  public let code: Code

  /// An error of the kind `code`.
  public init(_ code: Code) {
    self.code = code
  }

  /// `CBErrorDomain`.
  public static var errorDomain: String { CBErrorDomain }
  /// The number of `code`.
  public var errorCode: Int { code.rawValue }
  /// The sentence for people, as NSError wants it.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }

  /// A sentence for people, as Apple words it.
  public var errorDescription: String? {
    switch code {
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
    case .leGattExceededBackgroundNotificationLimit:
      "Exceeded the background notification limit."
    case .leGattNearBackgroundNotificationLimit: "Near the background notification limit."
    }
  }
}

extension CBError.Code {
  /// Lets `catch CBError.connectionTimeout` tell the kind.
  public static func ~= (code: CBError.Code, error: any Error) -> Bool {
    (error as? CBError)?.code == code
  }
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
