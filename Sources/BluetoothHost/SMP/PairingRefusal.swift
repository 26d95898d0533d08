/// The Security Manager's answers on a device without security, in either role: pairing fails at
/// once, so that the peer continues unencrypted instead of waiting for 30 s.
///
/// Core Specification, Vol 3, Part H, 3.5.
public enum PairingRefusal {
  /// Writes the response to a Security Manager PDU; nothing for Pairing Failed, or a reserved code
  /// (Vol 3, Part H, 3.3).
  public static func respond(to pdu: Span<UInt8>, response: inout ByteWriter) {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    let code = SMPCode(rawValue: byte)
    guard code != .pairingFailed, code.isAssigned else { return }
    let asksToPair = code == .pairingRequest || code == .securityRequest
    let reason: PairingFailure = asksToPair ? .pairingNotSupported : .commandNotSupported
    response.write(SMPCode.pairingFailed.rawValue)
    response.write(reason.rawValue)
  }
}
