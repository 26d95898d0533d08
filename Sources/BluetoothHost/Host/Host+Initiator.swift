// Scanning, and connecting to others.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// The requested scan; `nil` if none.
  public var scanParameters: ScanParameters? {
    Client.isPresent ? clientRole.initiator.wantedScan : nil
  }

  /// Scans for advertisers from now on; `nil` to stop. Each call restarts the scan, so that each
  /// advertiser is reported again.
  ///
  /// The host does not scan while it connects, since not every controller can do both at once.
  public mutating func scan(_ parameters: ScanParameters?) {
    guard Client.isPresent else { return }
    clientRole.initiator.wantedScan = parameters
    if case .on = clientRole.initiator.scan {
      clientRole.initiator.restartsScan = parameters != nil
    }
    controller.mayHaveCommands = true
  }

  /// Whether `connect(to:)` can begin: no other attempt is under way, and a connection is free.
  public var canConnect: Bool {
    Client.isPresent && clientRole.initiator.isIdle && table.count < links
  }

  /// Begins to connect to `peer`. `ClientApplication` gets `connected` or `connectionFailed`; the
  /// attempt lasts until then, or until `cancelConnection`.
  ///
  /// - Returns: Whether the attempt begins: see `canConnect`.
  public mutating func connect(to peer: DeviceAddress) -> Bool {
    guard canConnect, !controller.isShuttingDown else { return false }
    clientRole.initiator.peer = peer
    clientRole.initiator.keepsLateLink = false
    clientRole.initiator.attempt = .wanted
    controller.mayHaveCommands = true
    return true
  }

  /// Ends the attempt to connect. `connectionFailed` follows. If the controller makes the link all
  /// the same, the host ends that link; with `keepsLink` it keeps the link and calls `connected`
  /// instead.
  public mutating func cancelConnection(keepsLink: Bool = false) {
    guard Client.isPresent else { return }
    clientRole.initiator.keepsLateLink = keepsLink
    switch clientRole.initiator.attempt {
    case .wanted:
      clientRole.initiator.attempt = .none
      clientRole.connectionFailed(.unknownConnectionIdentifier)
    case .running: clientRole.initiator.attempt = .unwanted
    case .pausing: clientRole.initiator.attempt = .cancelling
    case .none, .unwanted, .cancelling: return
    }
    controller.mayHaveCommands = true
  }

  /// Reads the signal strength of the peer at `index`. `ClientApplication` gets `readRSSI`, unless
  /// the link ends first.
  public mutating func readRSSI(at index: Int) {
    guard Client.isPresent, isOpen(index) else { return }
    connections[index].isRSSIPending = true
    controller.mayHaveCommands = true
  }

  /// Begins `operation` on the link at `index`. `ClientApplication` gets the results, and then
  /// `ended`.
  ///
  /// - Returns: False if there is no link, if it is ending, if another operation is under way, or
  ///   if the operation is invalid: its `byteCount` is negative, or, for `readMultiple`, less than
  ///   4 or odd.
  public mutating func perform(_ operation: ClientOperation, at index: Int) -> Bool {
    if Channels.hasBearers, index >= links {
      return channelRole.withBearer(index) { clientRole.begin(operation, on: &$0) } ?? false
    }
    guard Client.isPresent, isOpen(index), connections[index].disconnectReason == nil,
      clientRole.begin(operation, on: connections[index])
    else { return false }
    pending.insert(index)
    if Security.isPresent { encrypt(index) }
    return true
  }

  /// The operation under way on the link at `index`; `nil` if there is none.
  public func operation(at index: Int) -> ClientOperation? {
    Client.isPresent && isOpen(index) ? clientRole.operation(at: index) : nil
  }

  // MARK: Commands

  /// Writes the next command for scanning or connecting; `nil` if none is needed.
  mutating func writeInitiatorCommand(into writer: inout ByteWriter, at now: Instant) -> HCIOpcode?
  {
    let initiator = clientRole.initiator
    if initiator.attempt == .unwanted { return writeCancel(.cancelling, into: &writer, at: now) }
    if let opcode = writeScanCommand(into: &writer) { return opcode }
    guard initiator.attempt == .wanted, !controller.isShuttingDown else { return nil }
    clientRole.initiator.attempt = .running
    let peer = Security.isPresent ? securityRole.linkAddress(of: initiator.peer) : initiator.peer
    if isExtended { return writeExtendedConnection(to: peer, into: &writer) }
    return write(
      LECreateConnection(
        scanInterval: 96, scanWindow: 96, filterPolicy: 0, peer: peer,
        ownAddressType: controller.address.kind.rawValue,
        parameters: configuration.connectionParameters), into: &writer)
  }

  /// Writes LE Create Connection Cancel, for this new state of the attempt.
  mutating func writeCancel(
    _ attempt: Initiator.Attempt, into writer: inout ByteWriter, at now: Instant
  ) -> HCIOpcode? {
    clientRole.initiator.attempt = attempt
    clientRole.initiator.cancelDeadline = now.advanced(by: CommandFlow.timeout)
    return write(PlainCommand(.leCreateConnectionCancel), into: &writer)
  }

  private mutating func writeScanCommand(into writer: inout ByteWriter) -> HCIOpcode? {
    let initiator = clientRole.initiator
    let wanted =
      initiator.attempt == .none && !controller.isShuttingDown ? initiator.wantedScan : nil
    switch initiator.scan {
    case .on(let current):
      guard current != wanted || initiator.restartsScan else { return nil }
      clientRole.initiator.restartsScan = false
      return writeScanEnd(into: &writer)
    case .prepared(let current) where current == wanted:
      clientRole.initiator.requestedScan = .on(current)
      let filter: UInt8 = current.filtersDuplicates ? 1 : 0
      if isExtended {
        return write(LESetExtendedScanEnable(enable: 1, filterDuplicates: filter), into: &writer)
      }
      return write(LESetScanEnable(enable: 1, filterDuplicates: filter), into: &writer)
    case .off, .prepared:
      guard let wanted else { return nil }
      clientRole.initiator.requestedScan = .prepared(wanted)
      if isExtended { return writeExtendedScan(wanted, into: &writer) }
      return write(
        LESetScanParameters(
          type: wanted.isActive ? 1 : 0, interval: wanted.interval, window: wanted.window,
          ownAddressType: controller.address.kind.rawValue, filterPolicy: 0), into: &writer)
    }
  }

  /// Writes the command that stops the scan.
  mutating func writeScanEnd(into writer: inout ByteWriter) -> HCIOpcode {
    clientRole.initiator.requestedScan = .off
    if isExtended {
      return write(LESetExtendedScanEnable(enable: 0, filterDuplicates: 0), into: &writer)
    }
    return write(LESetScanEnable(enable: 0, filterDuplicates: 0), into: &writer)
  }

  /// The controller has answered a command to scan or to connect.
  mutating func finishInitiator(_ opcode: HCIOpcode, status: HCIErrorCode) {
    switch opcode {
    case .leSetScanParameters, .leSetScanEnable, .leSetExtendedScanParameters,
      .leSetExtendedScanEnable:
      let requested = clientRole.initiator.requestedScan
      // A controller that refuses to stop scanning was not scanning.
      guard status != .success, requested != .off else {
        clientRole.initiator.scan = requested
        if requested == .off { retryAdvertising() }
        return
      }
      clientRole.initiator.scan = .off
      clientRole.initiator.wantedScan = nil
      clientRole.scanFailed(status)
    case .leCreateConnection, .leExtendedCreateConnection:
      if status != .success { endAttempt(status) }
    default:
      // The Connection Complete event says how a cancelled attempt ended.
      break
    }
  }

  /// The attempt to connect has ended without a link.
  private mutating func endAttempt(_ reason: HCIErrorCode) {
    guard clientRole.initiator.attempt != .none else { return }
    clientRole.initiator.attempt = .none
    clientRole.initiator.cancelDeadline = nil
    controller.mayHaveCommands = true
    retryAdvertising()
    clientRole.connectionFailed(reason)
  }

  /// Tries again to advertise if the controller refused before.
  private mutating func retryAdvertising() {
    if Server.isPresent { serverRole.advertiser.isAdvertisingRefused = false }
  }

  /// Whether `event` is a link that the host requested. Any other result is handled here.
  mutating func isExpected(_ event: LEConnectionComplete) -> Bool {
    let attempt = clientRole.initiator.attempt
    let isRunning = attempt != .none && attempt != .wanted
    guard event.status == .success else {
      if attempt == .pausing, event.status == .unknownConnectionIdentifier {
        resumeAttempt()
      } else if isRunning {
        endAttempt(event.status)
      } else if Server.isPresent, !isExtended {
        serverRole.advertiser.isAdvertising = false
        reportWorking()
      }
      return false
    }
    // Controllers differ in the address type that they report for a resolved address.
    guard isRunning,
      clientRole.initiator.peer.bytes.span.hasSameBytes(as: event.peer.bytes.span)
        || (Security.isPresent && isSame(clientRole.initiator.peer, event.peer))
    else {
      controller.unknownLinks.note(event.handle, endedAt: Instant(rawValue: 0))
      return false
    }
    guard attempt == .running || attempt == .pausing || clientRole.initiator.keepsLateLink else {
      // The link was made while the attempt was being cancelled.
      controller.unknownLinks.note(event.handle, endedAt: Instant(rawValue: 0))
      endAttempt(.unknownConnectionIdentifier)
      return false
    }
    clientRole.initiator.attempt = .none
    clientRole.initiator.cancelDeadline = nil
    return true
  }

  /// Takes advertising reports: Core Specification, Vol 4, Part E, 7.7.65.2 and 7.7.65.13.
  mutating func receiveReports(_ parameters: consuming ByteReader, isExtended: Bool) {
    guard controller.phase == .ready,
      var reports = AdvertisingReports(parameters, isExtended: isExtended)
    else { return }
    while var report = reports.next() {
      if Security.isPresent { report.address = securityRole.noteAdvertiser(report.address) }
      clientRole.received(report)
    }
  }

  /// The controller did not report how a cancelled attempt ended. If it makes the link later, the
  /// host ends that link.
  mutating func advanceInitiator(to now: Instant) {
    guard let deadline = clientRole.initiator.cancelDeadline, deadline <= now else { return }
    if clientRole.initiator.attempt == .pausing { return resumeAttempt() }
    endAttempt(.unknownConnectionIdentifier)
  }

  /// The controller has stopped connecting for a change of its lists or address. The attempt goes
  /// on after the change.
  private mutating func resumeAttempt() {
    clientRole.initiator.attempt = .wanted
    clientRole.initiator.cancelDeadline = nil
    controller.mayHaveCommands = true
  }

  /// The controller is reset: an attempt under way has failed.
  mutating func resetInitiator() {
    let attempt = clientRole.initiator.attempt
    clientRole.initiator.reset()
    if attempt != .none { clientRole.connectionFailed(.hardwareFailure) }
  }

  /// If Read RSSI remained unanswered, reports the strength as unknown.
  mutating func reportUnreadRSSI(_ opcode: HCIOpcode) {
    guard opcode == .readRSSI, let handle = controller.checking,
      let index = table.index(of: handle), connections[index].isRSSIPending
    else { return }
    connections[index].isRSSIPending = false
    clientRole.readRSSI(nil, of: connections[index])
  }
}
