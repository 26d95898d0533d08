import BluetoothHost

extension Central {
  /// Writes the next packet for the controller, H4's type byte first; `false` if there is none
  /// now.
  ///
  /// `writer` has room for a whole command: 259 bytes.
  public func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    if gate.isOpen, let command = nextCommand(at: now) {
      command.writePacket(to: &writer)
      gate.pass(command, until: now.advanced(by: configuration.commandTimeout))
      return true
    }
    return writeFragment(to: &writer, at: now)
  }

  /// The command that is most urgent: to start; to undo; to do.
  private func nextCommand(at now: Instant) -> Command? {
    switch state {
    case .stopped: return nil
    case .starting(let step): return .startUp(step, configuration.randomAddress)
    case .ready: break
    }
    if let command = nextCancellation(at: now) ?? nextDisconnection(at: now) { return command }
    if !errands.isEmpty { return errands.removeFirst() }
    let isConnecting = links.contains { $0.isAttempted || $0.canBegin(at: now) }
    if let command = scanner.nextCommand(isPaused: isConnecting, ownAddressType: ownAddressType) {
      return command
    }
    return nextConnection(at: now)
  }

  private func nextCancellation(at now: Instant) -> Command? {
    for link in links {
      if case .cancelling(let failure, isAsked: false) = link.phase {
        link.phase = .cancelling(failure, isAsked: true)
        link.deadline = now.advanced(by: configuration.closingTimeout)
        return .cancelConnection
      }
      if link.phase == .yielding(isAsked: false) {
        link.phase = .yielding(isAsked: true)
        return .cancelConnection
      }
    }
    return nil
  }

  private func nextDisconnection(at now: Instant) -> Command? {
    for link in links {
      if link.phase == .closing(isAsked: false), let handle = link.handle {
        link.phase = .closing(isAsked: true)
        link.deadline = now.advanced(by: configuration.closingTimeout)
        return .disconnect(Disconnect(handle: handle, reason: .remoteUserTerminatedConnection))
      }
    }
    return nil
  }

  /// Connects the next link in line, unless the controller is at one already.
  private func nextConnection(at now: Instant) -> Command? {
    let isBusy = links.contains { $0.isAttempted }
    guard !isBusy, let link = links.first(where: { $0.canBegin(at: now) }) else { return nil }
    link.phase = .connecting
    link.attempt = now
    return .createConnection(
      LECreateConnection(
        scanInterval: 96, scanWindow: 96, filterPolicy: 0, peer: link.peer,
        ownAddressType: ownAddressType, parameters: configuration.connectionParameters))
  }

  private var ownAddressType: UInt8 { address.kind.rawValue }

  /// Writes one fragment of the link whose turn it is, if the controller has room for one.
  private func writeFragment(to writer: inout ByteWriter, at now: Instant) -> Bool {
    guard state == .ready, budget.hasFree else { return false }
    for index in links.indices {
      let link = links[index]
      guard link.isOpen, let handle = link.handle else { continue }
      beginOperations(on: link, at: now)
      if link.outbox.writePacket(on: handle, length: budget.length, to: &writer) {
        budget.spend(on: handle)
        links.append(links.remove(at: index))
        return true
      }
    }
    return false
  }

  /// Takes operations from the line until one has something to send. Each waits for those before
  /// it to be on their way, so that a long line takes no more room than it must.
  private func beginOperations(on link: Link, at now: Instant) {
    while link.outbox.isEmpty {
      let (pdu, done) = link.client.begin(at: now, timeout: configuration.transactionTimeout)
      if let pdu { link.outbox.append(pdu, on: .att) }
      if let done { complete(done, on: link) }
      if pdu == nil && done == nil { return }
    }
  }
}
