import BluetoothHost

extension Central {
  /// Takes one whole packet from the controller, H4's type byte first. A packet that makes no
  /// sense is ignored.
  public func receive(_ packet: Span<UInt8>, at now: Instant) {
    guard state != .stopped else { return }
    switch HCIPacket(packet) {
    case .event(let code, let parameters): receive(code, parameters, at: now)
    case .acl(let header, let data): receive(header, data, at: now)
    case .command, nil: return
    }
  }

  private func receive(_ code: HCIEventCode, _ parameters: Span<UInt8>, at now: Instant) {
    switch code {
    case .commandComplete:
      guard let event = CommandComplete(parameters: parameters) else { return }
      answered(event.opcode, event.commandCredits, event.returnParameters, at: now)
    case .commandStatus:
      guard let event = CommandStatus(parameters: parameters) else { return }
      status(event, at: now)
    case .hardwareError:
      guard let event = HardwareError(parameters: parameters) else { return }
      fail(.hardwareError(event.hardwareCode))
    case .numberOfCompletedPackets:
      guard var event = NumberOfCompletedPackets(parameters: parameters) else { return }
      while let (handle, count) = event.next() { budget.giveBack(count, on: handle) }
    case .disconnectionComplete:
      guard let event = DisconnectionComplete(parameters: parameters) else { return }
      disconnected(event)
    case .leMeta:
      var reader = ByteReader(parameters)
      guard let subevent = reader.readUInt8() else { return }
      receive(LEMetaSubevent(rawValue: subevent), reader, at: now)
    default:
      return
    }
  }

  private func receive(
    _ subevent: LEMetaSubevent, _ parameters: consuming ByteReader, at now: Instant
  ) {
    switch subevent {
    case .connectionComplete, .enhancedConnectionComplete:
      let isEnhanced = subevent == .enhancedConnectionComplete
      guard let event = LEConnectionComplete(&parameters, enhanced: isEnhanced) else { return }
      connected(event, at: now)
    case .advertisingReport:
      guard var reports = LEAdvertisingReports(parameters) else { return }
      while let report = reports.next() { heard(AdvertiserReport(report)) }
    case .extendedAdvertisingReport:
      for report in AdvertiserReport.extendedReports(parameters) { heard(report) }
    case .remoteConnectionParameterRequest:
      guard let event = LERemoteConnectionParameterRequest(&parameters) else { return }
      parametersRequested(event)
    default:
      return
    }
  }

  private func heard(_ report: AdvertiserReport) {
    guard state == .ready else { return }
    failures = 0
    guard let discovery = scanner.merge(report) else { return }
    post(.discovered(discovery))
  }

  /// A Command Complete, whose first return parameter is the status.
  private func answered(
    _ opcode: HCIOpcode, _ credits: UInt8, _ returned: Span<UInt8>, at now: Instant
  ) {
    let closed = now.advanced(by: configuration.commandTimeout)
    guard let command = gate.answer(opcode, credits: credits, until: closed) else { return }
    var reader = ByteReader(returned)
    if let status = reader.readUInt8() {
      finished(command, HCIErrorCode(rawValue: status), reader.readRemaining(), at: now)
    } else if command.isOptional {
      finished(command, .unspecifiedError, Span(), at: now)
    } else {
      fail(.malformed(opcode))
    }
  }

  /// A Command Status: the answer, if it refuses, or if none but this is to come.
  private func status(_ event: CommandStatus, at now: Instant) {
    if event.status == .success, let outstanding = gate.outstanding,
      outstanding.opcode == event.opcode, !outstanding.isAnsweredByStatus
    {
      return
    }
    let closed = now.advanced(by: configuration.commandTimeout)
    guard let command = gate.answer(event.opcode, credits: event.commandCredits, until: closed)
    else { return }
    finished(command, event.status, Span(), at: now)
  }

  /// The peer asks for other connection parameters by way of the controllers.
  private func parametersRequested(_ event: LERemoteConnectionParameterRequest) {
    guard link(event.handle) != nil else { return }
    guard event.parameters.areValid else { return run(.parametersRefusal(event.handle)) }
    run(
      .parametersReply(
        LERemoteConnectionParameterRequestReply(
          handle: event.handle, parameters: event.parameters)))
  }

  /// Adds an errand. A peer that asks for more and more, while the controller is slow, waits in
  /// vain.
  func run(_ errand: Command) {
    if errands.count < 32 { errands.append(errand) }
  }
}
