import BluetoothHost

// Connection subrating: Core Specification, Vol 6, Part B, 4.5.1, 5.1.19 and 5.1.20.
extension VirtualController {
  func performSubrating(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    switch opcode {
    case .leSetHostFeature:
      guard let request = LESetHostFeature(&reader) else { return .invalidCommandParameters }
      guard request.bit == LESetHostFeature.connectionSubrating, request.value <= 1 else {
        return .unsupportedFeatureOrParameterValue
      }
      guard links.isEmpty else { return .commandDisallowed }
      state.hasSubrating = request.value == 1
      succeed(opcode)
    case .leSetDefaultSubrate:
      guard let parameters = SubrateParameters(&reader), parameters.areValid else {
        return .invalidCommandParameters
      }
      state.defaultSubrate = parameters
      succeed(opcode)
    default:
      guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
        return .unknownConnectionIdentifier
      }
      guard let request = SubrateParameters(&reader), request.areValid else {
        return .invalidCommandParameters
      }
      guard state.hasSubrating else { return .commandDisallowed }
      let subrate = end.parameters.subrated(by: request)
      guard end.role == .peripheral || subrate != nil else { return .invalidCommandParameters }
      accept(opcode)
      guard let peer = end.peer, let other = peer.controller else { return nil }
      guard other.features & Self.subratingFeatures == Self.subratingFeatures else {
        end.reportSubrate(.unsupportedRemoteFeature)
        return nil
      }
      let accepted =
        end.role == .central
        ? subrate
        : request.limited(to: other.state.defaultSubrate).flatMap(end.parameters.subrated(by:))
      guard let accepted else {
        end.reportSubrate(.unacceptableConnectionParameters)
        return nil
      }
      end.adoptSubrate(accepted, requestedBy: end)
    }
    return nil
  }

  /// Its LE features, those of its host too.
  var features: UInt64 {
    state.hasSubrating
      ? configuration.features | 1 &<< UInt64(LESetHostFeature.connectionSubrating)
      : configuration.features
  }

  /// Connection Subrating, and its Host Support.
  private static let subratingFeatures: UInt64 = 0b11 &<< 37
}

extension SubrateParameters {
  /// What both a peripheral's request and the central's host allow; `nil` if that is nothing.
  fileprivate func limited(to limits: SubrateParameters) -> SubrateParameters? {
    let maximum = min(maximumFactor, limits.maximumFactor)
    let both = SubrateParameters(
      minimumFactor: max(minimumFactor, limits.minimumFactor), maximumFactor: maximum,
      maximumLatency: min(maximumLatency, limits.maximumLatency),
      continuationNumber: min(max(continuationNumber, limits.continuationNumber), maximum - 1),
      supervisionTimeout: min(supervisionTimeout, limits.supervisionTimeout))
    return both.areValid ? both : nil
  }
}

extension LinkParameters {
  /// These with the largest factor that a request allows. `nil` if the timeout is not longer than twice the
  /// longest silence with the smallest factor: Core Specification, Vol 6, Part B, 4.5.2.
  fileprivate func subrated(by request: SubrateParameters) -> LinkParameters? {
    // 10 ms × timeout > 2 × 1.25 ms × interval × factor × (1 + latency)
    let most =
      (4 * UInt32(request.supervisionTimeout) - 1)
      / (UInt32(interval) * (UInt32(request.maximumLatency) + 1))
    let factor = min(UInt32(request.maximumFactor), most)
    guard factor >= request.minimumFactor else { return nil }
    var subrated = self
    subrated.subrateFactor = UInt16(factor)
    subrated.latency = request.maximumLatency
    subrated.continuationNumber = min(request.continuationNumber, UInt16(factor) - 1)
    subrated.supervisionTimeout = request.supervisionTimeout
    return subrated
  }
}

extension LinkEnd {
  /// Sets the parameters on both sides. Always reports to the requesting host; to the other one only if
  /// they have changed.
  fileprivate func adoptSubrate(_ parameters: LinkParameters, requestedBy requester: LinkEnd) {
    guard let peer else { return }
    let hasChanged = parameters != self.parameters
    for end in [self, peer] {
      end.parameters = parameters
      if hasChanged || end === requester { end.reportSubrate(.success) }
    }
  }

  fileprivate func reportSubrate(_ status: HCIErrorCode) {
    controller?.emit(
      LESubrateChange(
        status: status, handle: handle, factor: parameters.subrateFactor,
        latency: parameters.latency, continuationNumber: parameters.continuationNumber,
        supervisionTimeout: parameters.supervisionTimeout))
  }
}
