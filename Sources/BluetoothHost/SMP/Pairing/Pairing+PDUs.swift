// The PDUs of a pairing, in and out: the one place that knows which may come when.
// Core Specification, Vol 3, Part H, 3.3 to 3.6 and Appendix C.
extension Pairing where Agreement: ~Copyable {
  /// The only PDU that the peer may send now, beside Pairing Failed; `nil` while it has to wait.
  var expectedCode: SMPCode? {
    switch state.phase {
    case .idle, .encryption: nil
    case .response: .pairingResponse
    case .publicKey:
      // The responder's key follows the initiator's.
      awaitsPublicKey ? .pairingPublicKey : nil
    case .confirm: .pairingConfirm
    case .random: .pairingRandom
    case .check: .pairingDHKeyCheck
    case .keys: awaitsPeerKey ? state.peerKeys.first : nil
    }
  }

  private var awaitsPublicKey: Bool {
    // Comparing a key with `nil` would copy it.
    if case .some = state.peerKey { return false }
    if case .some = state.ownKey { return true }
    return state.link.role == .responder
  }

  /// Takes a PDU of the peer: its code, and the parameters after it. Nothing happens without a
  /// pairing, or if the code is reserved (Vol 3, Part H, 3.3).
  public mutating func receive(_ code: SMPCode, _ parameters: Span<UInt8>, at now: Instant) {
    guard isActive, code.isAssigned else { return }
    state.now = now
    switch code {
    case .pairingFailed:
      return end(.refused(PairingFailed(parameters: parameters)?.reason ?? .unspecifiedReason))
    case .securityRequest where state.link.role == .initiator:
      // A central that pairs already ignores it: Vol 3, Part H, 2.4.6.
      return
    case _ where !isUsed(code):
      return fail(.commandNotSupported)
    case _ where code != expectedCode || !state.owed.isEmpty:
      // Out of order, repeated, or sent before the peer can have seen what it answers.
      return fail(.unspecifiedReason)
    default:
      break
    }
    restartTimer()
    receiveExpected(code, parameters)
  }

  /// Whether this device ever takes the PDU. It asks for no keypress notifications and no signature
  /// keys, and as the responder for no long term key.
  private func isUsed(_ code: SMPCode) -> Bool {
    switch code {
    case .pairingKeypressNotification, .signingInformation: false
    case .pairingResponse, .encryptionInformation, .centralIdentification:
      state.link.role == .initiator
    case .securityRequest: false
    case .pairingRequest: state.link.role == .responder
    default: true
    }
  }

  private mutating func receiveExpected(_ code: SMPCode, _ parameters: Span<UInt8>) {
    switch code {
    case .pairingResponse:
      if let pdu = PairingResponse(parameters: parameters) { return receiveResponse(pdu) }
    case .pairingPublicKey:
      if let pdu = PairingPublicKey(parameters: parameters) { return receivePublicKey(pdu) }
    case .pairingConfirm:
      if let pdu = PairingConfirm(parameters: parameters) { return receiveConfirm(pdu) }
    case .pairingRandom:
      if let pdu = PairingRandom(parameters: parameters) { return receiveRandom(pdu) }
    case .pairingDHKeyCheck:
      if let pdu = PairingDHKeyCheck(parameters: parameters) { return receiveCheck(pdu) }
    case .encryptionInformation:
      if let pdu = EncryptionInformation(parameters: parameters) { return receiveKey(pdu) }
    case .centralIdentification:
      if let pdu = CentralIdentification(parameters: parameters) { return receiveKey(pdu) }
    case .identityInformation:
      if let pdu = IdentityInformation(parameters: parameters) { return receiveKey(pdu) }
    case .identityAddressInformation:
      if let pdu = IdentityAddressInformation(parameters: parameters) { return receiveKey(pdu) }
    default:
      break
    }
    fail(.invalidParameters)
  }

  /// Whether `writePDU` has a PDU.
  public var hasPDU: Bool { !state.owed.isEmpty }

  /// Writes the next PDU; `false` if there is none, or no room for it: 65 bytes are always enough.
  public mutating func writePDU(to writer: inout ByteWriter, at now: Instant) -> Bool {
    // The responder's key goes before its confirm value; nothing else is owed together.
    guard
      let code = state.owed.contains(.pairingPublicKey) ? .pairingPublicKey : state.owed.first
    else { return false }
    let start = writer.count
    write(code, to: &writer)
    guard !writer.hasOverflowed else {
      writer.truncate(to: start)
      return false
    }
    state.now = now
    state.owed.remove(code)
    continueKeys()
    return true
  }

  private func write(_ code: SMPCode, to writer: inout ByteWriter) {
    switch code {
    case .pairingRequest: PairingRequest(state.ownFeatures).write(to: &writer)
    case .pairingResponse: PairingResponse(state.ownFeatures).write(to: &writer)
    case .pairingPublicKey:
      if let key = state.ownKey { PairingPublicKey(key).write(to: &writer) }
    case .pairingConfirm: PairingConfirm(confirmValue: state.ownConfirm).write(to: &writer)
    case .pairingRandom: PairingRandom(randomValue: state.ownNonce).write(to: &writer)
    case .pairingDHKeyCheck: PairingDHKeyCheck(check: check(of: .own)).write(to: &writer)
    case .encryptionInformation:
      EncryptionInformation(longTermKey: state.bond.longTermKey).write(to: &writer)
    case .centralIdentification:
      CentralIdentification(
        encryptedDiversifier: state.bond.encryptedDiversifier,
        randomNumber: state.bond.randomNumber
      ).write(to: &writer)
    case .identityInformation:
      IdentityInformation(identityResolvingKey: state.identity?.identityResolvingKey ?? .zero)
        .write(to: &writer)
    case .identityAddressInformation:
      IdentityAddressInformation(address: state.identity?.address ?? .zero).write(to: &writer)
    default: break
    }
  }
}

extension PairingRequest {
  /// The whole PDU, as confirm values cover it.
  var bytes: InlineArray<7, UInt8> { features.bytes(after: Self.code) }
}

extension PairingResponse {
  /// The whole PDU, as confirm values cover it.
  var bytes: InlineArray<7, UInt8> { features.bytes(after: Self.code) }
}

extension PairingFeatures {
  fileprivate func bytes(after code: SMPCode) -> InlineArray<7, UInt8> {
    [
      code.rawValue, ioCapability.rawValue, hasOOBData ? 0x01 : 0x00,
      authenticationRequirements.rawValue, maximumKeySize, initiatorKeys.rawValue,
      responderKeys.rawValue,
    ]
  }

  /// The part that check values cover.
  var ioCap: InlineArray<3, UInt8> {
    [ioCapability.rawValue, hasOOBData ? 0x01 : 0x00, authenticationRequirements.rawValue]
  }
}
