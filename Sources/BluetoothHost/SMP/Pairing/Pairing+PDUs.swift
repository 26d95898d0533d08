// The PDUs of a pairing: the only place that checks their order. Core Specification, Vol 3, Part H,
// 3.3 to 3.6 and Appendix C.
extension Pairing where Agreement: ~Copyable {
  /// The only PDU that the peer may send now, apart from Pairing Failed; `nil` while it has to
  /// wait.
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
    case .keys: state.peerKeys.first
    }
  }

  private var awaitsPublicKey: Bool {
    // Comparing a key with `nil` would copy it.
    if case .some = state.peerKey { return false }
    if case .some = state.ownKey { return true }
    return state.link.role == .responder
  }

  /// Takes a PDU from the peer: its code, and the parameters after it. Does nothing without a
  /// pairing, or if the code is reserved (Vol 3, Part H, 3.3).
  public mutating func receive(_ code: SMPCode, _ parameters: Span<UInt8>, at now: Instant) {
    guard isActive, code.isAssigned else { return }
    state.now = now
    switch code {
    case .pairingFailed:
      return end(.refused(PairingFailed(parameters: parameters)?.reason ?? .unspecifiedReason))
    case .securityRequest where state.link.role == .initiator:
      // A central that is already pairing ignores it: Vol 3, Part H, 2.4.6.
      return
    case _ where !isUsed(code): return fail(.commandNotSupported)
    case _ where code != expectedCode || !state.pendingPDUs.isEmpty:
      // Out of order, repeated, or sent before the PDU that it should answer.
      return fail(.unspecifiedReason)
    default: break
    }
    restartTimer()
    receiveExpected(code, parameters)
  }

  /// Whether this device ever accepts the PDU. It requests neither keypress notifications nor
  /// signature keys, and as the responder no long term key.
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
    default: break
    }
    fail(.invalidParameters)
  }

  /// Whether `writePDU` has a PDU.
  public var hasPDU: Bool { !state.pendingPDUs.isEmpty }

  /// Writes the next PDU; `false` if there is none, or no room for it: 65 bytes are always enough.
  public mutating func writePDU(to writer: inout ByteWriter, at now: Instant) -> Bool {
    // The responder's key precedes its confirm value; other PDUs are never pending together.
    guard
      let code = state.pendingPDUs.contains(.pairingPublicKey)
        ? .pairingPublicKey : state.pendingPDUs.first
    else { return false }
    let start = writer.count
    write(code, to: &writer)
    guard !writer.hasOverflowed else {
      writer.truncate(to: start)
      return false
    }
    state.now = now
    state.pendingPDUs.remove(code)
    continueKeys()
    return true
  }

  private func write(_ code: SMPCode, to writer: inout ByteWriter) {
    switch code {
    case .pairingRequest: PairingRequest(state.ownFeatures).write(to: &writer)
    case .pairingResponse: PairingResponse(state.ownFeatures).write(to: &writer)
    case .pairingPublicKey: if let key = state.ownKey { PairingPublicKey(key).write(to: &writer) }
    case .pairingConfirm: PairingConfirm(state.ownConfirm).write(to: &writer)
    case .pairingRandom: PairingRandom(state.ownNonce).write(to: &writer)
    case .pairingDHKeyCheck: PairingDHKeyCheck(check(of: .own)).write(to: &writer)
    case .encryptionInformation: EncryptionInformation(state.bond.longTermKey).write(to: &writer)
    case .centralIdentification:
      CentralIdentification(
        encryptedDiversifier: state.bond.encryptedDiversifier, randomNumber: state.bond.randomNumber
      ).write(to: &writer)
    case .identityInformation:
      IdentityInformation(state.identity?.identityResolvingKey ?? .zero).write(to: &writer)
    case .identityAddressInformation:
      IdentityAddressInformation(address: state.identity?.address ?? .zero).write(to: &writer)
    default: break
    }
  }
}

extension PairingFeaturesPDU {
  /// The whole PDU, as in confirm values.
  var bytes: InlineArray<7, UInt8> {
    var bytes = InlineArray<7, UInt8>(repeating: 0)
    var writer = ByteWriter(bytes.mutableSpan)
    write(to: &writer)
    return bytes
  }
}

extension PairingFeatures {
  /// IO capability, OOB flag and AuthReq, as in check values.
  var ioCap: InlineArray<3, UInt8> {
    let bytes = PairingRequest(self).bytes
    return [bytes[1], bytes[2], bytes[3]]
  }
}

// Phase 1: the features of the two devices. Core Specification, Vol 3, Part H, 2.3.
extension Pairing where Agreement: ~Copyable {
  /// The features of this device as the initiator.
  func makeRequest() -> PairingFeatures {
    // Only the responder distributes a long term key: it is valid for links on which the same
    // device is the peripheral.
    PairingFeatures(
      ioCapability: state.policy.ioCapability,
      authenticationRequirements: state.policy.requirements,
      initiatorKeys: state.policy.bonds ? offeredIdentity : .none,
      responderKeys: state.policy.bonds ? .encryptionKey | .identityKey : .none)
  }

  /// The features of this device as the responder, with the keys that both can use.
  func makeResponse(to request: PairingFeatures) -> PairingFeatures {
    let requirements = state.policy.requirements
    var initiatorKeys: KeyDistribution = .none
    var responderKeys: KeyDistribution = .none
    if requirements.isBonding, request.authenticationRequirements.isBonding {
      initiatorKeys = request.initiatorKeys & .identityKey
      responderKeys = offeredIdentity
      let common = requirements & request.authenticationRequirements
      if !common.contains(.secureConnections) { responderKeys = responderKeys | .encryptionKey }
      responderKeys = responderKeys & request.responderKeys
    }
    return PairingFeatures(
      ioCapability: state.policy.ioCapability, authenticationRequirements: requirements,
      initiatorKeys: initiatorKeys, responderKeys: responderKeys)
  }

  private var offeredIdentity: KeyDistribution { state.identity == nil ? .none : .identityKey }

  /// Takes Pairing Response as the initiator.
  mutating func receiveResponse(_ response: PairingResponse) {
    state.peerFeatures = response.features
    let request = state.ownFeatures
    // The responder may omit keys, but not add any: Vol 3, Part H, 3.6.1.
    let added =
      response.features.initiatorKeys.subtracting(request.initiatorKeys)
      | response.features.responderKeys.subtracting(request.responderKeys)
    guard KeyDistribution.reserved.contains(added) else { return fail(.invalidParameters) }
    agree()
  }

  /// Compares both devices' features: either the pairing fails, or authentication begins.
  mutating func agree() {
    let initiator = state.initiatorFeatures
    let responder = state.responderFeatures
    let requirements = initiator.authenticationRequirements & responder.authenticationRequirements
    state.isSecureConnections = requirements.contains(.secureConnections)
    state.model = AssociationModel(initiator: initiator, responder: responder)

    // The smaller key size applies, and ours is 16: Vol 3, Part H, 2.3.4.
    guard state.peerFeatures.maximumKeySize == 16 else { return fail(.encryptionKeySize) }
    if state.policy.secureConnections == .required, !state.isSecureConnections {
      return fail(.authenticationRequirements)
    }
    // With Secure Connections, one device's OOB flag selects out-of-band pairing, but this device
    // has no OOB data to give.
    if state.isSecureConnections, state.peerFeatures.hasOOBData { return fail(.oobNotAvailable) }
    if state.policy.authentication == .required, !state.model.isAuthenticated {
      return fail(.authenticationRequirements)
    }

    state.bond.role = state.link.role
    state.bond.isAuthenticated = state.model.isAuthenticated
    state.bond.isSecureConnections = state.isSecureConnections
    state.bond.identityAddress = state.link.peerAddress
    if state.isSecureConnections { exchangePublicKeys() } else { beginAuthentication() }
  }
}
