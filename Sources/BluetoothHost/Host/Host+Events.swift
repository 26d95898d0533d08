// Events of the controller that are not command results.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  mutating func receive(_ code: HCIEventCode, _ parameters: Span<UInt8>, at now: Instant) {
    switch code {
    case .numberOfCompletedPackets: receiveCompletedPackets(parameters)
    case .commandComplete: receiveCommandComplete(parameters, at: now)
    case .commandStatus: receiveCommandStatus(parameters, at: now)
    case .leMeta: receiveLEMeta(parameters, at: now)
    case .disconnectionComplete:
      guard let event = DisconnectionComplete(parameters: parameters), event.status == .success
      else { return }
      guard let index = table.index(of: event.handle) else {
        unknownLinkEnded(event.handle)
        return
      }
      close(index, reason: event.reason, at: now)
    case .encryptionChange:
      guard Security.isPresent, let event = EncryptionChange(parameters: parameters) else { return }
      encryptionChanged(event.handle, event.status, isEncrypted: event.enabled != 0, at: now)
    case .encryptionKeyRefreshComplete:
      guard Security.isPresent, let event = EncryptionKeyRefreshComplete(parameters: parameters)
      else { return }
      encryptionChanged(event.handle, event.status, isEncrypted: event.status == .success, at: now)
    case .hardwareError:
      // A controller that is about to be reset needs no second reset.
      guard controller.phase != .off, controller.restartTime == nil,
        let event = HardwareError(parameters: parameters)
      else { return }
      let time = controller.retryPace.retryTime(failingAt: now)
      fail(.hardwareError(event.hardwareCode), restartAt: time)
    default: break
    }
  }

  private mutating func receiveLEMeta(_ parameters: Span<UInt8>, at now: Instant) {
    var reader = ByteReader(parameters)
    guard let subevent = reader.readUInt8() else { return }
    switch LEMetaSubevent(rawValue: subevent) {
    case .advertisingReport, .extendedAdvertisingReport:
      guard Client.isPresent else { return }
      receiveReports(
        reader, isExtended: subevent == LEMetaSubevent.extendedAdvertisingReport.rawValue)
    case .connectionComplete:
      guard let event = LEConnectionComplete(&reader, enhanced: false) else { return }
      open(event, at: now)
    case .enhancedConnectionComplete:
      let addresses = Security.isPresent ? ResolvableAddresses(reader) : ResolvableAddresses()
      guard let event = LEConnectionComplete(&reader, enhanced: true) else { return }
      open(event, addresses, at: now)
    case .connectionUpdateComplete:
      guard let event = LEConnectionUpdateComplete(&reader), event.status == .success,
        let index = table.index(of: event.handle)
      else { return }
      connections[index].interval = event.interval
      connections[index].supervisionTimeout = UInt32(event.supervisionTimeout) * 10
    case .longTermKeyRequest: receiveKeyRequest(&reader, at: now)
    case .remoteConnectionParameterRequest:
      guard let event = LERemoteConnectionParameterRequest(&reader),
        let index = table.index(of: event.handle)
      else { return }
      connections[index].pendingParameterReply =
        event.parameters.areAcceptable ? .accepted(event.parameters) : .refused
      controller.mayHaveCommands = true
    case .advertisingSetTerminated where Self.isExtended: receiveSetTerminated(&reader)
    case .subrateChange where Self.isExtended: receiveSubrateChange(&reader)
    case .periodicAdvertisingSyncEstablished where Client.Scanner.isPeriodic,
      .periodicAdvertisingReport where Client.Scanner.isPeriodic,
      .periodicAdvertisingSyncLost where Client.Scanner.isPeriodic:
      receivePeriodic(LEMetaSubevent(rawValue: subevent), &reader)
    default: break
    }
  }

  /// Takes a Connection Complete event: Core Specification, Vol 4, Part E, 7.7.65.1.
  private mutating func open(
    _ event: LEConnectionComplete, _ addresses: ResolvableAddresses = ResolvableAddresses(),
    at now: Instant
  ) {
    guard controller.phase == .ready else { return }
    controller.mayHaveCommands = true
    let isOwn = Client.isPresent && event.role == .central
    if Client.isPresent, isOwn || event.status != .success {
      // Failures do not always report the right role.
      guard isExpected(event) else { return }
    } else if Server.isPresent {
      // With or without a link, this event ends the advertising; that of a set has an event of its
      // own.
      if !isExtended { serverRole.advertiser.isAdvertising = false }
    }
    guard event.status == .success else {
      reportWorking()
      return
    }
    if Security.isPresent, !isOwn, !securityRole.admits(addresses.peer ?? event.peer) {
      // The host ends this link at once and processes none of its data.
      controller.unknownLinks.note(event.handle, endedAt: Instant(rawValue: 0))
      return
    }
    // A reused handle means that the Disconnection Complete of its last link was lost.
    if let index = table.index(of: event.handle) {
      close(index, reason: .unspecifiedError, at: now)
    }
    // The host never invites more links than it has room for; only a faulty controller makes more.
    guard Server.isPresent || isOwn, let index = freeIndex(for: event.handle) else {
      controller.unknownLinks.note(event.handle, endedAt: now.advanced(by: CommandFlow.timeout))
      if Client.isPresent, isOwn { clientRole.connectionFailed(.connectionLimitExceeded) }
      return
    }
    controller.unknownLinks.remove(event.handle)
    let early = takeEarly(of: event.handle, at: index)
    connections[index].open(event)
    table.insert(event.handle, at: index)
    if table.count == 1 { scheduleCheck(at: now) }
    if controller.isShuttingDown {
      // The link was made while advertising was being turned off.
      connections[index].disconnectReason = .remoteUserTerminatedConnection
    }
    connections[index].isDataLengthPending = controller.supportsDataLength
    connections[index].isPHYPending =
      Self.isExtended
      ? !(controller.phys & linkPHYs(at: index)).isEmpty : controller.supports2MPHY
    if event.role == .peripheral, let preferred = configuration.preferredParameters,
      event.interval > preferred.maximumInterval
    {
      // The peripheral's pause: Core Specification, Vol 3, Part C, 9.3.12.2.
      connections[index].timers[.parameterRequest] = now.advanced(by: 5_000)
    }
    if Security.isPresent {
      securityRole.opened(
        PairingLink(
          role: event.role == .central ? .initiator : .responder,
          ownAddress: addresses.local ?? controller.address,
          peerAddress: addresses.peer ?? event.peer), at: index)
    }
    let peer = Security.isPresent ? securityRole.identityAddress(of: event.peer) : event.peer
    if Server.isPresent { serverRole.opened(connections[index], peer: peer) }
    if Client.isPresent { clientRole.opened(connections[index], peer: peer) }
    if Channels.isPresent { channelRole.opened(connections[index]) }
    noteSecurity(at: index)
    // A program that only listens causes no request that would encrypt the link.
    if Client.isPresent { encrypt(index) }
    reportWorking()
    receive(early: early, at: now)
    noteTimers(of: index)
  }

  /// The link at `index` has ended.
  mutating func close(_ index: Int, reason: HCIErrorCode, at now: Instant) {
    // The controller discards the packets of an ended link.
    freeBuffers(connections[index].inFlight, of: index)
    if Server.isPresent { serverRole.advertiser.isAdvertisingRefused = false }
    controller.mayHaveCommands = true
    forget(index, reason: reason)
    if table.count == 0 { scheduleCheck(at: now) }
  }
}

// Timers.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Does what is due at `now`.
  public mutating func advance(to now: Instant) {
    let wasOpen = commands.isOpen
    if let opcode = commands.expire(at: now) { handleTimeout(opcode, at: now) }
    if !wasOpen, commands.isOpen, controller.phase != .off, controller.restartTime == nil {
      controller.mayHaveCommands = true
    }
    if let time = controller.restartTime, time <= now {
      controller.restartTime = nil
      controller.mayHaveCommands = true
    }
    advanceRecovery(to: now)
    if Client.isPresent { advanceInitiator(to: now) }
    if Security.isPresent, let time = securityRole.deadline, time <= now {
      securityRole.advance(to: now)
      noteSecurityOfAll()
    }
    if Channels.isPresent {
      channelRole.advance(to: now)
      if Channels.hasBearers { serveBearers() }
    }
    guard let earliest = deadlines.earliest, earliest <= now else { return }
    for index in 0..<links {
      if let time = deadlines[index], time <= now { advance(index, to: now) }
    }
  }

  @inline(never) private mutating func advance(_ index: Int, to now: Instant) {
    if connections[index].timers.take(.parameterRequest, at: now),
      let preferred = configuration.preferredParameters,
      connections[index].interval > preferred.maximumInterval
    {
      connections[index].requestParameters(preferred)
      pending.insert(index)
    }
    // Without a confirmation or a response the bearer is unusable. Vol 3, Part F, 3.3.3.
    if connections[index].timers.take(.confirmation, at: now) { disconnect(at: index) }
    if Client.isPresent, connections[index].timers.take(.transaction, at: now) {
      clientRole.timeOut(connections[index])
      disconnect(at: index)
    }
    // The link's packets, or their completion events, are lost. Ending the link frees the buffers.
    if connections[index].timers.take(.stall, at: now) { disconnect(at: index) }
    if connections[index].timers.take(.close, at: now) {
      fail(.unanswered(.disconnect), restartAt: now)
      return
    }
    noteTimers(of: index)
  }
}
