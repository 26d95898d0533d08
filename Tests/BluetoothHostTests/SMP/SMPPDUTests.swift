import BluetoothHost
import Expectations

/// The code of a PDU, and its check.
private struct PDUCheck {
  let code: UInt8
  let check: Check

  /// Checks a PDU and its bytes, and that other lengths are refused.
  static func pdu<PDU: SMPPDU & Equatable>(
    _ pdu: PDU, _ bytes: [UInt8], _ sourceLocation: SourceLocation = #_sourceLocation
  ) -> PDUCheck {
    let check = Check("\(PDU.self)") {
      expect(written { pdu.write(to: &$0) }, is: bytes, sourceLocation: sourceLocation)
      expect(bytes[0], is: PDU.code.rawValue, sourceLocation: sourceLocation)
      let parameters = Array(bytes[1...])
      expect(PDU(parameters: parameters.span), is: pdu, sourceLocation: sourceLocation)
      for wrong in truncations(of: parameters) + [parameters + [0xFF]] {
        expect(
          PDU(parameters: wrong.span), is: nil, "\(wrong.count) bytes",
          sourceLocation: sourceLocation)
      }
    }
    return PDUCheck(code: bytes[0], check: check)
  }
}

/// The bytes 1 to 16 in a PDU; the last one is the most significant.
private let sixteen = (1...16).map { UInt8($0) }
private let value = Number128(words: [0x0403_0201, 0x0807_0605, 0x0C0B_0A09, 0x100F_0E0D])
private let coordinates = (0..<64).map { UInt8($0) }
private func coordinate(from first: UInt32) -> Number256 {
  var number = Number256.zero
  for index in 0..<8 {
    let low = first + UInt32(index) * 4
    number.words[index] = low | (low + 1) << 8 | (low + 2) << 16 | (low + 3) << 24
  }
  return number
}

private let features = PairingFeatures(
  ioCapability: .keyboardDisplay, hasOOBData: true,
  authenticationRequirements: AuthenticationRequirements(rawValue: 0xED), maximumKeySize: 7,
  initiatorKeys: .encryptionKey | .linkKey, responderKeys: .identityKey | .signatureKey)

private let pdus: [PDUCheck] = [
  .pdu(PairingRequest(features), [0x01, 0x04, 0x01, 0xED, 7, 0x09, 0x06]),
  .pdu(PairingResponse(features), [0x02, 0x04, 0x01, 0xED, 7, 0x09, 0x06]),
  .pdu(PairingConfirm(value), [0x03] + sixteen),
  .pdu(PairingRandom(value), [0x04] + sixteen),
  .pdu(PairingFailed(.confirmValueFailed), [0x05, 0x04]),
  .pdu(EncryptionInformation(value), [0x06] + sixteen),
  .pdu(
    CentralIdentification(encryptedDiversifier: 0x0201, randomNumber: 0x0A09_0807_0605_0403),
    [0x07, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
  .pdu(IdentityInformation(value), [0x08] + sixteen),
  .pdu(
    IdentityAddressInformation(
      address: DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0xC6])),
    [0x09, 0x01, 1, 2, 3, 4, 5, 0xC6]),
  .pdu(SecurityRequest(.bonding | .mitm | .secureConnections), [0x0B, 0x0D]),
  .pdu(
    PairingPublicKey(P256PublicKey(x: coordinate(from: 0), y: coordinate(from: 32))),
    [0x0C] + coordinates),
  .pdu(PairingDHKeyCheck(value), [0x0D] + sixteen),
]

@Suite("PDUs of the Security Manager")
struct SMPPDUTests {
  @Test("A PDU is written, read, and refused at every other length", arguments: pdus.map(\.check))
  func codec(check: Check) { check.value() }

  /// Signing Information, 0x0A, and Pairing Keypress Notification, 0x0E, are always refused.
  @Test("The codes 1 to 14 are assigned, and each has a PDU here if it is not always refused")
  func codes() {
    expect(pdus.map(\.code), is: (0x01...0x0D).filter { $0 != 0x0A })
    for code in 0...255 {
      expect(SMPCode(rawValue: UInt8(code)).isAssigned, is: (1...14).contains(code))
    }
  }

  @Test("A feature out of range is refused; reserved bits are kept")
  func ranges() {
    let right: [UInt8] = [0x03, 0x00, 0x00, 16, 0x00, 0x00]
    expect(PairingRequest(parameters: right.span) != nil)
    // IO capability, OOB data flag and key size beyond their range.
    for (index, byte): (Int, UInt8) in [(0, 5), (0, 255), (1, 2), (3, 6), (3, 17), (3, 0)] {
      var wrong = right
      wrong[index] = byte
      expect(PairingRequest(parameters: wrong.span), is: nil, "\(index): \(byte)")
      expect(PairingResponse(parameters: wrong.span), is: nil, "\(index): \(byte)")
    }
    for index in [2, 4, 5] {
      var reserved = right
      reserved[index] = 0xFF
      let request = PairingRequest(parameters: reserved.span)
      expect(written { request?.write(to: &$0) }, is: [0x01] + reserved)
    }
  }

  @Test("Bonding_Flags 2 and 3 are reserved, and mean no bonding")
  func bondingFlags() {
    for (byte, isBonding): (UInt8, Bool) in [
      (0x00, false), (0x01, true), (0x02, false), (0x03, false), (0xFD, true),
    ] { expect(AuthenticationRequirements(rawValue: byte).isBonding, is: isBonding) }
  }

  @Test("An identity address is public or static random")
  func identityAddresses() {
    let addresses: [([UInt8], Bool)] = [
      ([0x00, 1, 2, 3, 4, 5, 0x06], true), ([0x01, 1, 2, 3, 4, 5, 0xC6], true),
      // Resolvable, non-resolvable, reserved, and an invalid type.
      ([0x01, 1, 2, 3, 4, 5, 0x46], false), ([0x01, 1, 2, 3, 4, 5, 0x06], false),
      ([0x01, 1, 2, 3, 4, 5, 0x86], false), ([0x02, 1, 2, 3, 4, 5, 0xC6], false),
    ]
    for (bytes, isIdentity) in addresses {
      expect(
        (IdentityAddressInformation(parameters: bytes.span) != nil), is: isIdentity, "\(bytes)")
    }
  }

  @Test("Each reason has its number")
  func reasons() {
    let reasons: [PairingError] = [
      .passkeyEntryFailed, .oobNotAvailable, .authenticationRequirements, .confirmValueFailed,
      .pairingNotSupported, .encryptionKeySize, .commandNotSupported, .unspecifiedReason,
      .repeatedAttempts, .invalidParameters, .dhKeyCheckFailed, .numericComparisonFailed,
      .brEDRPairingInProgress, .crossTransportKeyDerivationNotAllowed, .keyRejected,
    ]
    expect(reasons.map(\.rawValue), is: Array(0x01...0x0F))
  }
}
