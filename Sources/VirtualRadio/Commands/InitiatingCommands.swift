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
      let address = ownAddress(request.ownAddressType)
    else { return .invalidCommandParameters }
    let target = request.filterPolicy == 0 ? request.peer : nil
    if let target, links.contains(where: { $0.peerAddress == target }) {
      return .connectionAlreadyExists
    }
    guard links.count < configuration.maximumLinks else { return .connectionLimitExceeded }
    initiate(Initiation(target: target, ownAddress: address, parameters: parameters))
    accept(command)
    air?.seek(self)
    return nil
  }

  /// Tells the host that no link came of what it began.
  func emitConnectionFailure(_ status: HCIErrorCode, role: LEConnectionComplete.Role) {
    emit(
      connectionComplete: LEConnectionComplete(
        status: status, handle: ConnectionHandle(rawValue: 0), role: role, peer: .zero,
        interval: 0, latency: 0, supervisionTimeout: 0))
  }

  /// Keeps one side of a new link, and tells the host.
  func begin(_ end: LinkEnd) {
    links.append(end)
    air?.audienceChanged()
    emit(
      connectionComplete: LEConnectionComplete(
        status: .success, handle: end.handle, role: end.role, peer: end.peerAddress,
        interval: end.parameters.interval, latency: end.parameters.latency,
        supervisionTimeout: end.parameters.supervisionTimeout))
  }

  /// The enhanced event replaces the other where the host has it on.
  private func emit(connectionComplete event: LEConnectionComplete) {
    guard allows(.enhancedConnectionComplete) else { return emit(event) }
    emitLEEvent(.enhancedConnectionComplete) { writer in
      writer.write(event.status.rawValue)
      writer.write(event.handle.rawValue)
      writer.write(event.role.rawValue)
      event.peer.write(to: &writer)
      // No resolvable private addresses are in use on either side.
      DeviceAddress.zero.writeBytes(to: &writer)
      DeviceAddress.zero.writeBytes(to: &writer)
      writer.write(event.interval)
      writer.write(event.latency)
      writer.write(event.supervisionTimeout)
      writer.write(event.centralClockAccuracy)
    }
  }
}
