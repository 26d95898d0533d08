import BluetoothHost

/// Connection parameters and their updates.
extension VirtualController {
  func performUpdate(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    guard let handle = ConnectionHandle(&reader), let end = link(handle) else {
      return .unknownConnectionIdentifier
    }
    if opcode == .leRemoteConnectionParameterRequestNegativeReply {
      guard let reason = reader.readUInt8() else { return .invalidCommandParameters }
      guard end.isAskedForParameters else { return .commandDisallowed }
      end.isAskedForParameters = false
      succeed(command, handle)
      end.peer?.reportParameters(HCIErrorCode(rawValue: reason))
      return nil
    }
    // The request and the reply have the same parameters.
    guard let request = ConnectionParameters(&reader), let parameters = LinkParameters(request)
    else { return .invalidCommandParameters }
    if opcode == .leRemoteConnectionParameterRequestReply {
      guard end.isAskedForParameters else { return .commandDisallowed }
      end.isAskedForParameters = false
      succeed(command, handle)
      end.adopt(parameters, requestedBy: end.peer)
      return nil
    }
    accept(command)
    if end.role == .central {
      end.adopt(parameters, requestedBy: end)
    } else {
      ask(end, LERemoteConnectionParameterRequest(handle: handle, parameters: request))
    }
    return nil
  }

  /// Passes a peripheral's request to the central's host.
  private func ask(_ end: LinkEnd, _ request: LERemoteConnectionParameterRequest) {
    guard let central = end.peer, let controller = central.controller else { return }
    guard controller.allows(.remoteConnectionParameterRequest) else {
      // Core Specification, Vol 4, Part E, 7.7.65.6: a host that masks the event refuses all
      // requests.
      end.reportParameters(.unsupportedRemoteFeature)
      return
    }
    central.isAskedForParameters = true
    var request = request
    request.handle = central.handle
    controller.emit(request)
  }
}

extension LinkEnd {
  /// Sets the parameters on both sides. Always reports to the requesting host; to the other one
  /// only if they have changed.
  fileprivate func adopt(_ parameters: LinkParameters, requestedBy requester: LinkEnd?) {
    guard let peer else { return }
    let hasChanged = parameters != self.parameters
    for end in [self, peer] {
      end.parameters = parameters
      if hasChanged || end === requester { end.reportParameters(.success) }
    }
  }

  fileprivate func reportParameters(_ status: HCIErrorCode) {
    controller?.emit(
      LEConnectionUpdateComplete(
        status: status, handle: handle, interval: parameters.interval,
        latency: parameters.latency, supervisionTimeout: parameters.supervisionTimeout))
  }
}
