import BluetoothHost

extension BallClient {
  func handle(_ event: CentralEvent, at now: Instant) {
    switch event {
    case .ready:
      guard stage == .searching else { return }
      post(.searching)
      let deadline = now.advanced(by: inquiry.searchTimeout)
      searchDeadline = deadline
      stageDeadline = deadline
    case .radioFault:
      // The host restarts the radio, and a search continues. A link has ended before.
      return
    case .scanFailed(let code):
      finish(.scanRefused(code), decided: true)
    case .discovered(let discovery):
      discovered(discovery, at: now)
    case .connected(let id, let peer):
      guard id == link else { return }
      post(.connected(peer))
      stageDeadline = now.advanced(by: inquiry.preparationTimeout)
      begin(.exchangingMTU, .exchangeMTU)
    case .connectionFailed(let id, let failure):
      guard id == link else { return }
      connectionFailed(failure, at: now)
    case .disconnected(let id, let reason):
      guard id == link else { return }
      disconnected(reason)
    case .completed(let id, _, let result):
      guard id == operation else { return }
      operation = nil
      completed(result, at: now)
    case .notified(let id, let handle, let value):
      guard id == link, handle == answer?.value else { return }
      notified(value, at: now)
    }
  }

  /// Searches for a ball in the remaining time.
  func search(at now: Instant) {
    stage = .searching
    stageDeadline = searchDeadline
    central.scan()
  }

  /// Takes an advertiser that is a ball with the right name; waits a little for an incomplete name.
  private func discovered(_ discovery: Discovery, at now: Instant) {
    switch stage {
    case .searching: break
    case .naming(let candidate) where candidate.address == discovery.address: break
    // While the name of the first ball is awaited, another one may have the requested name.
    case .naming where inquiry.name != nil && discovery.isNameComplete: break
    default: return
    }
    guard discovery.isConnectable, discovery.serviceUUIDs.contains(BallService.service) else {
      return
    }
    guard discovery.isNameComplete else {
      if stage == .searching { awaitName(of: discovery, at: now) }
      return
    }
    if let name = inquiry.name, discovery.name != name {
      if stage != .searching { resume() }
      return
    }
    connect(to: discovery, at: now)
  }

  private func awaitName(of discovery: Discovery, at now: Instant) {
    stage = .naming(discovery)
    let timeout = now.advanced(by: inquiry.nameTimeout)
    stageDeadline = min(timeout, searchDeadline ?? timeout)
  }

  /// Continues the search without the balls that were rejected.
  private func resume() {
    stage = .searching
    stageDeadline = searchDeadline
  }

  func connect(to discovery: Discovery, at now: Instant) {
    post(.found(discovery))
    central.stopScan()
    stage = .connecting
    stageDeadline = nil
    link = central.connect(to: discovery.address, timeout: inquiry.connectionTimeout, at: now)
  }

  private func connectionFailed(_ failure: ConnectionFailure, at now: Instant) {
    link = nil
    if case .disconnecting(let outcome) = stage { return finish(outcome) }
    unreachable = failure
    guard let searchDeadline, now < searchDeadline else {
      return finish(.unreachable(failure), decided: true)
    }
    search(at: now)
  }

  private func disconnected(_ reason: HCIErrorCode) {
    link = nil
    switch stage {
    case .unsubscribing(let outcome), .disconnecting(let outcome): finish(outcome)
    default: finish(.disconnected(reason), decided: true)
    }
  }
}
