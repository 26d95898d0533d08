import BluetoothHost

/// How attempts share the radio with each other and with a scan.
///
/// A controller makes one attempt at a time, and some cannot scan meanwhile. An attempt to connect
/// to an absent peer would block everything else for ever, so it gives way.
extension DeviceCentral {
  /// When `advance()` has to be called; `nil` if nothing is timed.
  var deadline: Instant? { links.compactMap(turnEnd).min() }

  /// Ends the turns that are over.
  func advance() {
    for link in links {
      if let end = turnEnd(of: link), end <= now { endTurn(of: link) }
    }
  }

  /// When the current attempt has to give way, or a waiting one may begin; `nil` if nothing is
  /// timed.
  private func turnEnd(of link: CentralLink) -> Instant? {
    guard let attempt = link.attempt else { return nil }
    switch link.phase {
    case .waiting: return attempt
    case .connecting where isAwaited(link): return attempt.advanced(by: Self.turn)
    default: return nil
    }
  }

  /// Whether a scan or another attempt waits for this one.
  private func isAwaited(_ link: CentralLink) -> Bool {
    scanner.wanted != nil || links.contains { $0 !== link && $0.phase == .waiting }
  }

  /// The turn of an attempt is over, or its pause is.
  private func endTurn(of link: CentralLink) {
    needsUpdate = true
    if link.phase == .waiting { link.attempt = nil } else { link.phase = .yielding }
  }

  /// The controller could not connect, or has stopped trying.
  func refused(_ link: CentralLink, _ status: HCIErrorCode) {
    switch link.phase {
    case .cancelling:
      fail(link, .cancelled)
    case .yielding:
      putOff(link, until: now)
      letScan()
    case .connecting where !status.isLasting:
      putOff(link, until: now.advanced(by: Self.retryPause))
    default:
      fail(link, .controller(status))
    }
  }

  /// Gives a waiting scan its turn: all attempts wait.
  private func letScan() {
    guard scanner.wanted != nil else { return }
    for link in links where link.phase == .waiting {
      link.attempt = now.advanced(by: Self.turn)
    }
  }

  /// Moves an attempt to the end of the queue.
  private func putOff(_ link: CentralLink, until begin: Instant) {
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
    default:
      false
    }
  }
}
