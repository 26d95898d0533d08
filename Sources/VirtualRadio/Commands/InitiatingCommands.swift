import BluetoothHost

extension VirtualController {
  func performInitiation(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    if opcode == .leCreateConnectionCancel {
      guard state.initiation != nil else { return .commandDisallowed }
      initiate(nil)
      succeed(command)
      emitConnectionFailure(.unknownConnectionIdentifier, role: .central)
      return nil
    }
    guard state.initiation == nil else { return .commandDisallowed }
    guard let request = LECreateConnection(&reader), request.filterPolicy <= 1,
      (0x0004...0x4000).contains(request.scanInterval),
      (0x0004...0x4000).contains(request.scanWindow), request.scanWindow <= request.scanInterval,
      request.minimumEventLength <= request.maximumEventLength,
      let parameters = LinkParameters(request.parameters),
      let own = ownAddress(request.ownAddressType)
    else { return .invalidCommandParameters }
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
    initiate(Initiation(target: target, own: own, parameters: parameters))
    accept(command)
    air?.connectInitiator(self)
    return nil
  }

  /// Reports to the host that its attempt failed.
  func emitConnectionFailure(_ status: HCIErrorCode, role: LEConnectionComplete.Role) {
    emit(
      connectionComplete: LEConnectionComplete(
        status: status, handle: ConnectionHandle(rawValue: 0), role: role, peer: .zero,
        interval: 0, latency: 0, supervisionTimeout: 0), of: nil)
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
