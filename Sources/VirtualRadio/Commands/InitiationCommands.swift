import BluetoothHost

extension VirtualController {
  func performInitiation(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    if opcode == .leCreateConnectionCancel {
      guard state.initiation != nil else { return .commandDisallowed }
      initiate(nil)
      succeed(opcode)
      emitConnectionFailure(.unknownConnectionIdentifier, role: .central)
      return nil
    }
    guard state.initiation == nil else { return .commandDisallowed }
    guard let request = LEExtendedCreateConnection(opcode, &reader), request.filterPolicy <= 1,
      let parameters = request.linkParameters, let own = ownAddress(request.ownAddressType)
    else { return .invalidCommandParameters }
    guard configuration.phys.contains(request.phys) else {
      return .unsupportedFeatureOrParameterValue
    }
    let target = request.filterPolicy == 0 ? request.peer : nil
    if own.isPrivate { prepareAddresses() }
    // With the accept list, some devices may have no private address, so an identity is needed.
    guard target.map({ address(own, towards: $0) }) ?? own.identity != nil else {
      return .invalidCommandParameters
    }
    if let target, links.contains(where: { $0.sender.identity == target }) {
      return .connectionAlreadyExists
    }
    guard links.count < configuration.maximumLinks else { return .connectionLimitExceeded }
    initiate(
      Initiation(
        target: target, own: own, parameters: parameters,
        isExtended: opcode == .leExtendedCreateConnection))
    accept(opcode)
    air?.connectInitiator(self)
    return nil
  }

  /// Reports to the host that its attempt failed.
  func emitConnectionFailure(_ status: HCIErrorCode, role: LEConnectionComplete.Role) {
    emit(
      connectionComplete: LEConnectionComplete(
        status: status, handle: ConnectionHandle(rawValue: 0), role: role, peer: .zero, interval: 0,
        latency: 0, supervisionTimeout: 0), of: nil)
  }

  /// Adds one side of a new link, and reports it to the host.
  func begin(_ end: LinkEnd) {
    links.append(end)
    air?.audienceChanged()
    emit(
      connectionComplete: LEConnectionComplete(
        status: .success, handle: end.handle, role: end.role, peer: end.sender.identity,
        interval: end.parameters.interval, latency: end.parameters.latency,
        supervisionTimeout: end.parameters.supervisionTimeout), of: end)
  }

  /// The enhanced event replaces the other one if the host enables it. Only it has the link's
  /// private addresses.
  private func emit(connectionComplete event: LEConnectionComplete, of end: LinkEnd?) {
    guard allows(.enhancedConnectionComplete) else { return emit(event) }
    emitLEEvent(.enhancedConnectionComplete) { writer in
      writer.write(event.status.rawValue)
      writer.write(event.handle.rawValue)
      writer.write(event.role.rawValue)
      (end?.sender.reportedAddress ?? event.peer).write(to: &writer)
      (end?.ownPrivateAddress ?? .zero).writeBytes(to: &writer)
      (end?.sender.resolvedAddress ?? .zero).writeBytes(to: &writer)
      writer.write(event.interval)
      writer.write(event.latency)
      writer.write(event.supervisionTimeout)
      writer.write(event.centralClockAccuracy)
    }
  }
}

extension LEExtendedCreateConnection {
  /// Reads either command for connecting; `nil` if it is too short.
  fileprivate init?(_ opcode: HCIOpcode, _ reader: inout ByteReader) {
    if opcode == .leExtendedCreateConnection {
      self.init(&reader)
      guard reader.isEmpty else { return nil }
      return
    }
    guard let request = LECreateConnection(&reader) else { return nil }
    self.init(
      filterPolicy: request.filterPolicy, ownAddressType: request.ownAddressType,
      peer: request.peer, phys: .le1M,
      attempt: Attempt(
        scanInterval: request.scanInterval, scanWindow: request.scanWindow,
        parameters: request.parameters, minimumEventLength: request.minimumEventLength,
        maximumEventLength: request.maximumEventLength))
  }

  /// The parameters of a link on each PHY; `nil` if they are invalid.
  fileprivate var linkParameters: [LinkParameters?]? {
    var all: [LinkParameters?] = []
    for index in 0..<3 {
      guard let attempt = attempts[index] else {
        all.append(nil)
        continue
      }
      guard (0x0004...0x4000).contains(attempt.scanInterval),
        (0x0004...0x4000).contains(attempt.scanWindow), attempt.scanWindow <= attempt.scanInterval,
        attempt.minimumEventLength <= attempt.maximumEventLength,
        let parameters = LinkParameters(attempt.parameters)
      else { return nil }
      all.append(parameters)
    }
    return all
  }
}
