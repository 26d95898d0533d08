import BluetoothHost

extension Central {
  /// When `advance(to:)` has to be called; `nil` if nothing is waited for.
  public var deadline: Instant? {
    var earliest = gate.deadline
    for link in links {
      for deadline in [link.deadline, link.client.deadline, turnEnd(of: link)] {
        guard let deadline else { continue }
        earliest = min(earliest ?? deadline, deadline)
      }
    }
    return earliest
  }

  /// Ends what has waited for too long.
  public func advance(to now: Instant) {
    if let command = gate.expire(at: now) { unanswered(command, at: now) }
    for link in links {
      if let deadline = link.client.deadline, deadline <= now, link.isOpen {
        close(link, first: .timedOut, at: now)
      }
      if let deadline = link.deadline, deadline <= now { expire(link, at: now) }
      if let end = turnEnd(of: link), end <= now { endTurn(of: link, at: now) }
    }
  }

  private func unanswered(_ command: Command, at now: Instant) {
    if command.isOptional {
      finished(command, .unspecifiedError, Span(), at: now)
    } else {
      fail(.unanswered(command.opcode))
    }
  }

  /// A link has been in its phase for too long.
  private func expire(_ link: Link, at now: Instant) {
    switch link.phase {
    case .waiting:
      fail(link, .timedOut)
    case .connecting:
      link.phase = .cancelling(.timedOut, isAsked: false)
      link.deadline = now.advanced(by: configuration.closingTimeout)
    case .cancelling(_, isAsked: false), .closing(isAsked: false):
      // The controller takes no commands now. Until it has been told, the link may yet be there.
      link.deadline = nil
    case .cancelling(let failure, _):
      // The controller never told how the attempt ended. If it makes the link after all, that is
      // closed then.
      fail(link, failure)
    case .yielding:
      // The same, but this attempt is to be made again.
      putOff(link, until: now)
    case .closing:
      end(link, .unconfirmed)
    case .open:
      link.deadline = nil
    }
  }
}
