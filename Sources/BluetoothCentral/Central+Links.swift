import BluetoothHost

extension Central {
  /// The controller tells how an attempt ended.
  func connected(_ event: LEConnectionComplete, at now: Instant) {
    let attempted = links.first { $0.isAttempted }
    guard event.status == .success else {
      guard let attempted else { return }
      return refused(attempted, event.status, at: now)
    }
    // The number of a link that has ended unnoticed: this one takes its place.
    if let old = link(event.handle) { end(old, .unconfirmed) }
    budget.giveBackAll(on: event.handle)
    guard event.role == .central, let link = attempted, link.peer.hasBytes(of: event.peer) else {
      // Nobody asked for it, or no longer.
      return run(
        .disconnect(Disconnect(handle: event.handle, reason: .remoteUserTerminatedConnection)))
    }
    if case .cancelling(let failure, _) = link.phase {
      run(.disconnect(Disconnect(handle: event.handle, reason: .remoteUserTerminatedConnection)))
      return fail(link, failure)
    }
    failures = 0
    link.handle = event.handle
    link.phase = .open
    link.deadline = nil
    link.attempt = nil
    post(.connected(link.id, peer: link.peer))
  }

  /// The controller tells that a link has ended, or could not be ended.
  func disconnected(_ event: DisconnectionComplete) {
    guard let link = link(event.handle) else { return budget.giveBackAll(on: event.handle) }
    end(link, .controller(event.status == .success ? event.reason : event.status))
  }

  /// Asks for a link's end, and ends its operations: the one under way with `first`.
  func close(_ link: Link, first: OperationError = .disconnected, at now: Instant) {
    guard link.isOpen else { return }
    link.phase = .closing(isAsked: false)
    link.deadline = now.advanced(by: configuration.closingTimeout)
    endOperations(of: link, first: first)
  }

  /// A link is gone.
  func end(_ link: Link, _ reason: DisconnectionReason) {
    remove(link)
    if let handle = link.handle { budget.giveBackAll(on: handle) }
    endOperations(of: link, first: .disconnected)
    post(.disconnected(link.id, reason))
  }

  /// A link will not be.
  func fail(_ link: Link, _ failure: ConnectionFailure) {
    remove(link)
    endOperations(of: link, first: .disconnected)
    post(.connectionFailed(link.id, failure))
  }

  func complete(_ done: ATTClient.Completion, on link: Link) {
    post(.completed(done.operation, link.id, done.result))
  }

  private func remove(_ link: Link) {
    links.removeAll { $0 === link }
  }

  private func endOperations(of link: Link, first: OperationError) {
    for done in link.client.endAll(first: first, others: .disconnected) {
      complete(done, on: link)
    }
    for operation in link.rssiReadings {
      post(.completed(operation, link.id, .failure(.disconnected)))
    }
    link.rssiReadings = []
  }
}

extension DeviceAddress {
  /// Whether it is the same number, of whatever kind: controllers tell the kind of a resolved
  /// address differently.
  fileprivate func hasBytes(of other: DeviceAddress) -> Bool {
    var other = other
    other.kind = kind
    return self == other
  }
}
