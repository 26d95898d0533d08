import Foundation

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
    /// The connection was lost: nothing was heard for too long.
    case connectionTimeout
    /// The other side ended the connection.
    case peripheralDisconnected
    /// The UUID may not be used.
    case uuidNotAllowed
    /// The peripheral is advertising already.
    case alreadyAdvertising
    /// The connection could not be made.
    case connectionFailed
    /// There are as many connections as there can be.
    case connectionLimitReached
    /// The device is not known.
    case unknownDevice
    /// It cannot be done.
    case operationNotSupported
    /// The other side has forgotten the pairing.
    case peerRemovedPairingInformation
    /// Encryption was not begun in time.
    case encryptionTimedOut
    /// Too many devices are paired.
    case tooManyLEPairedDevices
    /// Too many notifications for a program in the background.
    case leGattExceededBackgroundNotificationLimit
    /// Nearly too many notifications for a program in the background.
    case leGattNearBackgroundNotificationLimit
    /// A number without a name. Since the case is unavailable, no `switch` has to list it.
    @available(*, unavailable) case other(Int)

    /// The same cases in the same order, and so of the same layout; but `other` is available.
    private enum Storage {
      case unknown, invalidParameters, invalidHandle, notConnected, outOfSpace
      case operationCancelled, connectionTimeout, peripheralDisconnected, uuidNotAllowed
      case alreadyAdvertising, connectionFailed, connectionLimitReached, unknownDevice
      case operationNotSupported, peerRemovedPairingInformation, encryptionTimedOut
      case tooManyLEPairedDevices, leGattExceededBackgroundNotificationLimit
      case leGattNearBackgroundNotificationLimit
      case other(Int)
    }

    /// The code with this number: never `nil`, but optional, as Apple's is.
    public init?(rawValue: Int) {
      let storage: Storage =
        switch rawValue {
        case 0: .unknown
        case 1: .invalidParameters
        case 2: .invalidHandle
        case 3: .notConnected
        case 4: .outOfSpace
        case 5: .operationCancelled
        case 6: .connectionTimeout
        case 7: .peripheralDisconnected
        case 8: .uuidNotAllowed
        case 9: .alreadyAdvertising
        case 10: .connectionFailed
        case 11: .connectionLimitReached
        case 12: .unknownDevice
        case 13: .operationNotSupported
        case 14: .peerRemovedPairingInformation
        case 15: .encryptionTimedOut
        case 16: .tooManyLEPairedDevices
        case 17: .leGattExceededBackgroundNotificationLimit
        case 18: .leGattNearBackgroundNotificationLimit
        default: .other(rawValue)
        }
      self = unsafe unsafeBitCast(storage, to: Self.self)
    }

    /// The number.
    public var rawValue: Int {
      switch unsafe unsafeBitCast(self, to: Storage.self) {
      case .unknown: 0
      case .invalidParameters: 1
      case .invalidHandle: 2
      case .notConnected: 3
      case .outOfSpace: 4
      case .operationCancelled: 5
      case .connectionTimeout: 6
      case .peripheralDisconnected: 7
      case .uuidNotAllowed: 8
      case .alreadyAdvertising: 9
      case .connectionFailed: 10
      case .connectionLimitReached: 11
      case .unknownDevice: 12
      case .operationNotSupported: 13
      case .peerRemovedPairingInformation: 14
      case .encryptionTimedOut: 15
      case .tooManyLEPairedDevices: 16
      case .leGattExceededBackgroundNotificationLimit: 17
      case .leGattNearBackgroundNotificationLimit: 18
      case .other(let number): number
      }
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
