/// How a side without keys answers the security manager, be it peripheral or central: pairing fails
/// at once, so that the other goes on unencrypted instead of waiting for 30 s.
///
/// Core Specification, Vol 3, Part H, 3.5.
public enum PairingRefusal {
  private static let pairingRequest: UInt8 = 0x01
  private static let pairingFailed: UInt8 = 0x05
  private static let securityRequest: UInt8 = 0x0B
  private static let pairingNotSupported: UInt8 = 0x05
  private static let commandNotSupported: UInt8 = 0x07

  /// Writes the response to one security manager PDU; nothing if it only tells of a failure, or if its
  /// code is reserved (Vol 3, Part H, 3.3).
  public static func respond(to pdu: Span<UInt8>, response: inout ByteWriter) {
    var reader = ByteReader(pdu)
    guard let code = reader.readUInt8(), code != pairingFailed, SMPCode(rawValue: code).isAssigned
    else { return }
    let asksToPair = code == pairingRequest || code == securityRequest
    response.write(pairingFailed)
    response.write(asksToPair ? pairingNotSupported : commandNotSupported)
  }
}
