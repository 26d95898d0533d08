import BluetoothHost

/// The security manager of a side that does not pair: it says so.
///
/// Core Specification, Vol 3, Part H, 3.5.5.
enum Pairing {
  private static let pairingRequest: UInt8 = 0x01
  private static let pairingFailed: UInt8 = 0x05
  private static let securityRequest: UInt8 = 0x0B
  private static let pairingNotSupported: UInt8 = 0x05
  private static let commandNotSupported: UInt8 = 0x07

  /// The answer to one frame of the security manager's channel; `nil` if it takes none.
  static func answer(to frame: Span<UInt8>) -> [UInt8]? {
    var reader = ByteReader(frame)
    switch reader.readUInt8() {
    case nil, pairingFailed: return nil
    case pairingRequest, securityRequest: return [pairingFailed, pairingNotSupported]
    default: return [pairingFailed, commandNotSupported]
    }
  }
}
