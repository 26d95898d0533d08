import BluetoothHost

/// How attempts that go on until they succeed share the radio with each other and with a scan.
///
/// A controller makes one attempt at a time, and not every one can scan meanwhile. An attempt at a
/// peer that is not there would then hold up all else for ever: so it gives way.
extension Central {
  /// When an attempt has to give way, or may begin; `nil` if it need not, or may now.
  func turnEnd(of link: Link) -> Instant? {
    guard let attempt = link.attempt else { return nil }
    switch link.phase {
    case .waiting:
      return attempt
    case .connecting where link.isPersistent && isAwaited(link):
      return attempt.advanced(by: configuration.turn)
    default:
      return nil
    }
  }

  /// Whether something else cannot go on because of this attempt.
  private func isAwaited(_ link: Link) -> Bool {
    scanner.wanted != nil || links.contains { $0 !== link && $0.phase == .waiting }
  }

  /// The turn of an attempt is over, or that of those that went before it.
  func endTurn(of link: Link, at now: Instant) {
    if link.phase == .waiting {
      link.attempt = nil
    } else {
      link.phase = .yielding(isAsked: false)
      link.deadline = now.advanced(by: configuration.closingTimeout)
    }
  }

  /// The controller could not connect, or no longer tries to.
  func refused(_ link: Link, _ status: HCIErrorCode, at now: Instant) {
    switch link.phase {
    case .cancelling(let failure, _):
      fail(link, failure)
    case .yielding:
      putOff(link, until: now)
      letScan(at: now)
    case .connecting where link.isPersistent && !status.isLasting:
      putOff(link, until: now.advanced(by: configuration.retryPause))
    default:
      fail(link, .controller(status))
    }
  }

  /// Gives a scan that waits its turn: all attempts that can wait do.
  private func letScan(at now: Instant) {
    guard scanner.wanted != nil else { return }
    for link in links where link.phase == .waiting && link.isPersistent {
      link.attempt = now.advanced(by: configuration.turn)
    }
  }

  /// Puts an attempt to the end of the line.
  func putOff(_ link: Link, until begin: Instant) {
    link.phase = .waiting
    link.deadline = nil
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
