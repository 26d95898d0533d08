/// Pairing is over without a key.
///
/// Core Specification, Vol 3, Part H, 3.5.5.
public struct PairingFailed: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .pairingFailed }
  /// Why.
  public var reason: PairingFailure

  /// A failure for this reason.
  public init(_ reason: PairingFailure) {
    self.reason = reason
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let reason = reader.readUInt8() else { return nil }
    self.reason = PairingFailure(rawValue: reason)
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(reason.rawValue)
  }
}

/// The peripheral asks the central to encrypt the link, or to pair.
///
/// Core Specification, Vol 3, Part H, 2.4.6 and 3.6.7.
public struct SecurityRequest: SMPPDU, Equatable {
  /// Which PDU it is.
  public static var code: SMPCode { .securityRequest }
  /// What the peripheral wants.
  public var authenticationRequirements: AuthenticationRequirements

  /// A request for this.
  public init(_ authenticationRequirements: AuthenticationRequirements) {
    self.authenticationRequirements = authenticationRequirements
  }

  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let requirements = reader.readUInt8() else { return nil }
    authenticationRequirements = AuthenticationRequirements(rawValue: requirements)
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(authenticationRequirements.rawValue)
  }
}

/// A key was pressed while a passkey is entered.
///
/// Core Specification, Vol 3, Part H, 3.5.8.
public struct PairingKeypressNotification: SMPPDU, Equatable {
  /// What happened at the keyboard.
  public enum Notification: UInt8, Sendable {
    /// Entry has begun.
    case passkeyEntryStarted = 0
    /// One more digit.
    case passkeyDigitEntered = 1
    /// One digit fewer.
    case passkeyDigitErased = 2
    /// All digits have gone.
    case passkeyCleared = 3
    /// Entry has ended.
    case passkeyEntryCompleted = 4
  }

  /// Which PDU it is.
  public static var code: SMPCode { .pairingKeypressNotification }
  /// What happened.
  public var notification: Notification

  /// A notification of this.
  public init(_ notification: Notification) {
    self.notification = notification
  }

  /// Reads what follows the code; `nil` also for a value that is reserved.
  public init?(_ reader: inout ByteReader) {
    guard let value = reader.readUInt8(), let notification = Notification(rawValue: value) else {
      return nil
    }
    self.notification = notification
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(notification.rawValue)
  }
}
