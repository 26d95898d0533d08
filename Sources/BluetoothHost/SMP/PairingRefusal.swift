/// The Security Manager's answers on a device without security, in either role: pairing fails at
/// once, so that the peer continues unencrypted instead of waiting for 30 s.
///
/// Core Specification, Vol 3, Part H, 3.5.
public enum PairingRefusal {
  private static let pairingRequest: UInt8 = 0x01
  private static let pairingFailed: UInt8 = 0x05
  private static let securityRequest: UInt8 = 0x0B
  private static let pairingNotSupported: UInt8 = 0x05
  private static let commandNotSupported: UInt8 = 0x07

  /// Writes the response to a Security Manager PDU; nothing for Pairing Failed, or a reserved code
  /// (Vol 3, Part H, 3.3).
  public static func respond(to pdu: Span<UInt8>, response: inout ByteWriter) {
    var reader = ByteReader(pdu)
    guard let code = reader.readUInt8(), code != pairingFailed, SMPCode(rawValue: code).isAssigned
    else { return }
    let asksToPair = code == pairingRequest || code == securityRequest
    response.write(pairingFailed)
    response.write(asksToPair ? pairingNotSupported : commandNotSupported)
  }
}
