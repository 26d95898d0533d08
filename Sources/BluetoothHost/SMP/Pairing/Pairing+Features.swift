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
      if !common.contains(.secureConnections) {
        responderKeys = responderKeys | .encryptionKey
      }
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
    if state.isSecureConnections {
      exchangePublicKeys()
    } else {
      beginAuthentication()
    }
  }
}
