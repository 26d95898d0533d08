// What the controller tells of its own accord.
extension Host where Database: ~Copyable, Application: ~Copyable {
  mutating func receive(_ code: HCIEventCode, _ parameters: Span<UInt8>, at now: Instant) {
    switch code {
    case .numberOfCompletedPackets:
      receiveCompletedPackets(parameters)
    case .commandComplete:
      receiveCommandComplete(parameters, at: now)
    case .commandStatus:
      receiveCommandStatus(parameters, at: now)
    case .leMeta:
      receiveLEMeta(parameters, at: now)
    case .disconnectionComplete:
      guard let event = DisconnectionComplete(parameters: parameters), event.status == .success
      else { return }
      guard let place = place(of: event.handle) else {
        unknownLinkEnded(event.handle)
        return
      }
      close(place, reason: event.reason, at: now)
    case .hardwareError:
      // One that is to be reset anyway has nothing to add.
      guard controller.phase != .off, controller.restartTime == nil,
        let event = HardwareError(parameters: parameters)
      else { return }
      let time = controller.retryPace.retryTime(failingAt: now)
      fail(.hardwareError(event.hardwareCode), restartAt: time)
    default:
      break
    }
  }

  private mutating func receiveLEMeta(_ parameters: Span<UInt8>, at now: Instant) {
    var reader = ByteReader(parameters)
    guard let subevent = reader.readUInt8() else { return }
    switch LEMetaSubevent(rawValue: subevent) {
    case .connectionComplete:
      guard let event = LEConnectionComplete(&reader, enhanced: false) else { return }
      open(event, at: now)
    case .enhancedConnectionComplete:
      guard let event = LEConnectionComplete(&reader, enhanced: true) else { return }
      open(event, at: now)
    case .connectionUpdateComplete:
      guard let event = LEConnectionUpdateComplete(&reader), event.status == .success,
        let place = place(of: event.handle)
      else { return }
      connections[place].interval = event.interval
      connections[place].supervisionTimeout = UInt32(event.supervisionTimeout) * 10
    case .longTermKeyRequest:
      guard let event = LELongTermKeyRequest(&reader), let place = place(of: event.handle) else {
        return
      }
      connections[place].owesKeyRefusal = true
      controller.owesCommands = true
    case .remoteConnectionParameterRequest:
      guard let event = LERemoteConnectionParameterRequest(&reader),
        let place = place(of: event.handle)
      else { return }
      connections[place].owedParameterReply =
        event.parameters.areAcceptable ? .accepted(event.parameters) : .refused
      controller.owesCommands = true
    default:
      break
    }
  }

  /// Core Specification, Vol 4, Part E, 7.7.65.1.
  private mutating func open(_ event: LEConnectionComplete, at now: Instant) {
    guard controller.phase == .ready else { return }
    // Whether or not there is a link: the advertising that led here is over.
    controller.isAdvertising = false
    controller.owesCommands = true
    guard event.status == .success else {
      report(.silent)
      return
    }
    // A handle that was in use is in use again: the end of its last link was lost.
    if let place = place(of: event.handle) {
      close(place, reason: .unspecifiedError, at: now)
    }
    // No more than there are places for are ever invited, unless the controller lies.
    guard let place = freePlace(for: event.handle) else {
      controller.unknownLinks.note(
        event.handle, endedAt: now.advanced(by: CommandFlow.patience))
      return
    }
    controller.unknownLinks.remove(event.handle)
    let early = connections[place].takeEarly(of: event.handle)
    connections[place].open(event)
    connectionCount += 1
    if connectionCount == 1 { scheduleCheck(at: now) }
    if controller.isShuttingDown {
      // It came while advertising was being turned off.
      connections[place].disconnectReason = .remoteUserTerminatedConnection
    }
    connections[place].owesDataLength = controller.supportsDataLength
    connections[place].owesPHY = controller.supports2MPHY
    if let preferred = configuration.preferredParameters, event.interval > preferred.maximumInterval
    {
      // The peripheral's pause: Core Specification, Vol 3, Part C, 9.3.12.2.
      connections[place].parameterRequestTime = now.advanced(by: 5_000)
    }
    application.centralConnected(at: place, address: event.peer)
    report(.silent)
    receive(early, at: place)
  }

  /// The link at `place` has ended.
  mutating func close(_ place: Int, reason: HCIErrorCode, at now: Instant) {
    // What the controller still had of this link it has no longer.
    freeBuffers(connections[place].inFlight, of: place)
    controller.refusesAdvertising = false
    controller.owesCommands = true
    connections[place].close()
    connectionCount -= 1
    if connectionCount == 0 { scheduleCheck(at: now) }
    application.centralDisconnected(at: place, reason: reason)
  }
}

// What the passing of time brings.
extension Host where Database: ~Copyable, Application: ~Copyable {
  /// The time is `now`: does what has become due.
  public mutating func advance(to now: Instant) {
    if let opcode = commands.expire(at: now) { giveUp(opcode, at: now) }
    if commands.isOpen, controller.phase != .off, controller.restartTime == nil {
      controller.owesCommands = true
    }
    if let time = controller.restartTime, time <= now {
      controller.restartTime = nil
      controller.owesCommands = true
    }
    advanceDoubts(to: now)
    for place in 0..<places { advance(place, to: now) }
  }

  private mutating func advance(_ place: Int, to now: Instant) {
    if let time = connections[place].parameterRequestTime, time <= now {
      connections[place].parameterRequestTime = nil
      if let preferred = configuration.preferredParameters,
        connections[place].interval > preferred.maximumInterval
      {
        connections[place].requestParameters(preferred)
      }
    }
    if let time = connections[place].confirmationDeadline, time <= now {
      // Without a confirmation the bearer is of no more use. Vol 3, Part F, 3.3.3.
      connections[place].confirmationDeadline = nil
      connections[place].disconnectReason = .remoteUserTerminatedConnection
      controller.owesCommands = true
    }
    if let time = connections[place].stallDeadline, time <= now {
      // Its packets, or their completion, are lost: its end gives the buffers back.
      connections[place].stallDeadline = nil
      connections[place].disconnectReason = .remoteUserTerminatedConnection
      controller.owesCommands = true
    }
    if let time = connections[place].closeDeadline, time <= now {
      fail(.unanswered(.disconnect), restartAt: now)
    }
  }
}
