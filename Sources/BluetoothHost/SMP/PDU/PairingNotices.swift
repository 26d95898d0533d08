/// Pairing has ended without a key.
///
/// Core Specification, Vol 3, Part H, 3.5.5.
public struct PairingFailed: SMPPDU, Equatable {
  /// The PDU's code.
  public static var code: SMPCode { .pairingFailed }
  /// The reason.
  public var reason: PairingFailure

  /// Creates a failure for this reason.
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
  /// The PDU's code.
  public static var code: SMPCode { .securityRequest }
  /// The peripheral's requirements.
  public var authenticationRequirements: AuthenticationRequirements

  /// Creates a request with these requirements.
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
