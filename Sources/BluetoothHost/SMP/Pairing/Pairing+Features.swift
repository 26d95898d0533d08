// Phase 1: what the two devices can do and want. Core Specification, Vol 3, Part H, 2.3.
extension Pairing where Agreement: ~Copyable {
  /// What this device asks for as the initiator.
  func makeRequest() -> PairingFeatures {
    // The long term key is distributed by the responder alone: it serves links in which the same
    // device is the peripheral.
    PairingFeatures(
      ioCapability: state.policy.ioCapability,
      authenticationRequirements: state.policy.requirements,
      initiatorKeys: state.policy.bonds ? offeredIdentity : .none,
      responderKeys: state.policy.bonds ? .encryptionKey | .identityKey : .none)
  }

  /// What this device answers as the responder: of the keys those that both have a use for.
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

  /// The initiator gets Pairing Response.
  mutating func receiveResponse(_ response: PairingResponse) {
    state.peerFeatures = response.features
    let request = state.ownFeatures
    // The responder may leave keys out, and add none: Vol 3, Part H, 3.6.1.
    guard request.initiatorKeys.contains(response.features.initiatorKeys),
      request.responderKeys.contains(response.features.responderKeys)
    else { return fail(.invalidParameters) }
    agree()
  }

  /// Both have said what they want: either the pairing fails, or authentication begins.
  mutating func agree() {
    let initiator = state.initiatorFeatures
    let responder = state.responderFeatures
    let requirements = initiator.authenticationRequirements & responder.authenticationRequirements
    state.isSecureConnections = requirements.contains(.secureConnections)
    state.model = AssociationModel(initiator: initiator, responder: responder)

    // The shorter of the two sizes counts, and ours is 16: Vol 3, Part H, 2.3.4.
    guard state.peerFeatures.maximumKeySize == 16 else { return fail(.encryptionKeySize) }
    if state.policy.secureConnections == .required, !state.isSecureConnections {
      return fail(.authenticationRequirements)
    }
    // With Secure Connections the data of one side is enough, and ours never left this device.
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
