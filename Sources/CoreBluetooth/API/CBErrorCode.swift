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
