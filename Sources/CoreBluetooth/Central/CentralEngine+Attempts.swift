import BluetoothHost

/// How attempts share the radio with each other and with a scan. A controller makes one attempt at
/// a time, and some cannot scan meanwhile. An attempt to connect to an absent peer would block
/// everything else for ever, so it gives way.
extension CentralEngine {
  /// How long an attempt or a scan has the radio while another one waits, in milliseconds.
  static let turn: UInt32 = 2_000
  /// How long an attempt waits after the controller could not connect, in milliseconds.
  static let retryPause: UInt32 = 250

  /// Connects the next link in the queue, unless an attempt is under way.
  func beginAttempt(_ host: inout LocalDevice.Host) {
    guard isReady, !links.contains(where: \.isAttempted),
      let link = links.first(where: { $0.phase == .waiting && ($0.attempt ?? now) <= now })
    else { return }
    // The host may call back before it returns.
    link.phase = .connecting
    link.attempt = now
    guard !host.connect(to: link.peer) else { return }
    // Every connection is in use. The link is made when one is free.
    link.phase = .waiting
    link.attempt = nil
  }

  /// When the current attempt has to give way, or a waiting one may begin; `nil` if nothing is
  /// timed.
  func turnEnd(of link: PeerLink) -> Instant? {
    switch link.phase {
    case .delayed(let start): start
    case .waiting: link.attempt
    case .connecting where isAwaited(link): link.attempt?.advanced(by: attemptLimit)
    default: nil
    }
  }

  /// Whether a scan or another attempt waits for this one.
  private func isAwaited(_ link: PeerLink) -> Bool {
    scanner.wanted != nil || links.contains { $0 !== link && $0.phase == .waiting }
  }

  /// The turn of an attempt is over, or its delay or pause is.
  func endTurn(of link: PeerLink) {
    needsUpdate = true
    switch link.phase {
    case .delayed: putOff(link, until: nil)
    case .waiting: link.attempt = nil
    default: link.phase = .yielding
    }
  }

  /// The controller could not connect, or has stopped trying.
  func refused(_ link: PeerLink, _ status: HCIErrorCode) {
    needsUpdate = true
    switch link.phase {
    case .cancelling: end(link, nil)
    case .yielding:
      putOff(link, until: now)
      // Gives a waiting scan its turn: all attempts wait.
      guard scanner.wanted != nil else { return }
      for link in links where link.phase == .waiting { link.attempt = now.advanced(by: Self.turn) }
    case .connecting where !status.isLasting: putOff(link, until: now.advanced(by: Self.retryPause))
    default: end(link, .refused(status))
    }
  }

  /// Moves an attempt to the end of the queue.
  private func putOff(_ link: PeerLink, until begin: Instant?) {
    link.phase = .waiting
    link.attempt = begin
    links.removeAll { $0 === link }
    links.append(link)
  }
}

extension HCIErrorCode {
  /// Whether the same command would be refused again.
  fileprivate var isLasting: Bool {
    switch self {
    case .unknownCommand, .hardwareFailure, .memoryCapacityExceeded, .connectionLimitExceeded,
      .rejectedDueToLimitedResources, .unsupportedFeatureOrParameterValue,
      .invalidCommandParameters:
      true
    default: false
    }
  }
}
