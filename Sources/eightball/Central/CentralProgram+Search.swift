import BluetoothHost

// From an advertisement to a link with a peripheral.
extension CentralProgram where Self: ~Copyable {
  /// Handles what the host has reported, and asks it for what follows, until nothing is left.
  mutating func handleEvents(at now: Instant) {
    repeat {
      if session.host.security.delegate.hasNews { handleSecurity(at: now) }
      for event in session.host.client.application.takeEvents() { handle(event, at: now) }
      for event in session.host.channels.application.application.takeEvents() {
        channelChanged(event, at: now)
      }
      update(at: now)
    } while session.host.client.application.hasEvents || session.host.security.delegate.hasNews
      || session.host.channels.application.application.hasEvents
  }

  private mutating func handle(_ event: ClientEvent, at now: Instant) {
    switch event {
    case .ready: begin(at: now)
    case .broken(let error): finish(.radioFailed(error), at: now)
    case .heard(let device): take(device, at: now)
    case .connected: linked(at: now)
    case .connectionFailed(let reason): notConnected(reason, at: now)
    case .disconnected(let reason): lost(reason, at: now)
    case .ended(_, let error):
      guard session.stage == .linked, session.closing == nil else { return }
      ended(error, at: now)
    case .endedOnBearer(let bearer, let error):
      guard session.stage == .linked, session.closing == nil else { return }
      ended(error, on: bearer, at: now)
    case .bearerOpened(let bearer, let mtu): bearerOpened(bearer, mtu: mtu, at: now)
    case .bearerClosed(let bearer): bearerClosed(bearer, at: now)
    case .rssi(let rssi): readRSSI(rssi, at: now)
    case .subrate(let subrate): subrateChanged(subrate, at: now)
    case .subrateFailed(let reason): subrateFailed(reason, at: now)
    case .notified(let handle, let value): notified(handle, value, at: now)
    // Only a scan follows trains.
    case .synchronized, .train, .unsynchronized: break
    }
  }

  /// The radio is ready.
  private mutating func begin(at now: Instant) {
    // The peer recognises this device by its address.
    if session.host.security.identity?.address != session.host.address {
      session.host.security.identity = LocalIdentity(
        identityResolvingKey: .zero, address: session.host.address)
    }
    guard session.outcome == nil else { return }
    session.printer.searches()
    session.searchEnd = session.searchEnd ?? now.advanced(by: session.limits.search)
    session.wholeEnd = session.wholeEnd ?? session.limits.whole.map { now.advanced(by: $0) }
    scan()
  }

  /// Scans for every report: a peripheral may be found again.
  private mutating func scan() {
    session.scanResumption = nil
    var parameters = ScanParameters()
    parameters.filtersDuplicates = false
    session.host.scan(parameters)
  }

  private mutating func take(_ device: NearbyDevice, at now: Instant) {
    guard session.outcome == nil, !session.isChosen, accepts(device),
      !session.rejected.contains(device.address), session.roomTime.map({ $0 <= now }) ?? true,
      !session.candidates.contains(where: { $0.address == device.address })
    else { return }
    session.candidates.append(device)
    if session.candidates.count == 1 { prepareFirst(at: now) }
  }

  /// Begins with the first candidate.
  private mutating func prepareFirst(at now: Instant) {
    guard let first = session.candidates.first else { return }
    session.printer.found(first)
    session.preparationEnd = now.advanced(by: session.limits.preparation)
    if session.stage != .dropping { session.stage = .waiting(until: now) }
  }

  /// Asks the host for what is due: a link, its protection, or the next operation on it.
  private mutating func update(at now: Instant) {
    if session.outcome == nil, case .waiting(let time) = session.stage, time <= now,
      let first = session.candidates.first, session.host.canConnect,
      session.host.connect(to: first.address)
    {
      // A link over the range of the coded PHY would not survive another one.
      session.host.client.scanner.linkPHYs = first.isCoded ? .leCoded : .le2M
      session.stage = .connecting(since: now)
      session.host.scan(nil)
    }
    guard session.stage == .linked else { return }
    if session.securing != nil { secure(at: now) }
    guard session.securing == nil, session.host.operation(at: 0) == nil else { return }
    perform(at: now)
  }

  private mutating func linked(at now: Instant) {
    guard session.outcome == nil, let first = session.candidates.first, session.stage != .dropping
    else {
      session.host.disconnect(at: 0)
      return
    }
    session.printer.connected(first)
    session.stage = .linked
    session.closing = nil
    linkOpened(at: now)
    session.scanResumption = now.advanced(by: CentralSession.scanPause)
  }

  /// An attempt has ended without a link.
  private mutating func notConnected(_ reason: HCIErrorCode, at now: Instant) {
    guard session.outcome == nil, !session.candidates.isEmpty else {
      session.stage = .waiting(until: now)
      return
    }
    switch session.stage {
    case .yielding:
      session.stage = .waiting(until: now.advanced(by: CentralSession.turn))
      scan()
    case .connecting where reason == .hardwareFailure:
      giveUp(with: .unreachable(.offline), at: now)
    case .connecting where reason.isLasting:
      session.roomTime = reason.isAboutRoom ? now.advanced(by: CentralSession.roomPause) : nil
      giveUp(with: .unreachable(reason.isAboutRoom ? .connectionLimit : .offline), at: now)
    case .connecting:
      session.stage = .waiting(until: now.advanced(by: CentralSession.retryPause))
      scan()
    case .dropping:
      session.stage = .waiting(until: now)
    case .waiting, .linked: return
    }
  }

  /// The link has ended.
  private mutating func lost(_ reason: HCIErrorCode, at now: Instant) {
    let wasDropped = session.stage == .dropping
    let isAboutKeys = session.closing.map(\.isAboutKeys) ?? (reason == .pinOrKeyMissing)
    session.stage = .waiting(until: now)
    session.closing = nil
    session.securing = nil
    linkClosed(at: now)
    guard session.outcome == nil else {
      if !session.isShuttingDown { shutDown(at: now) }
      return
    }
    guard !wasDropped, let first = session.candidates.first else { return }
    // The next link would end in the same way.
    if isAboutKeys { session.rejected.append(first.address) }
    if session.isChosen {
      finish(isAboutKeys && isWorking ? .failed(.keys) : .disconnected, at: now)
    } else {
      giveUp(with: isAboutKeys ? .failed(.keys) : .unreachable(.offline), at: now)
    }
  }

  /// Continues with the next peripheral found, or waits for one while the search lasts.
  ///
  /// - Parameter outcome: The outcome if no other one is found.
  mutating func giveUp(with outcome: CentralOutcome, at now: Instant) {
    session.fallback = outcome
    session.preparationEnd = nil
    let first = session.candidates.removeFirst()
    switch session.stage {
    case .connecting, .yielding:
      session.stage = .dropping
      session.host.cancelConnection()
    case .linked:
      session.rejected.append(first.address)
      session.stage = .dropping
      session.securing = nil
      linkClosed(at: now)
      session.host.disconnect(at: 0)
    case .waiting, .dropping: break
    }
    guard session.candidates.isEmpty else { return prepareFirst(at: now) }
    if session.isSearchOver { return finish(session.fallback, at: now) }
    scan()
  }

  /// The peripheral is the one to use: the search ends, and no other one is tried.
  mutating func choose() {
    session.isChosen = true
    session.preparationEnd = nil
    session.searchEnd = nil
    session.scanResumption = nil
    session.host.scan(nil)
    session.candidates.removeLast(session.candidates.count - 1)
  }

  /// Ends what has taken too long.
  mutating func expire(at now: Instant) {
    if let end = session.wholeEnd, end <= now { return timeIsUp(at: now) }
    if let end = session.preparationEnd, end <= now {
      session.preparationEnd = nil
      giveUp(
        with: session.fallback == .notFound ? .unreachable(nil) : session.fallback, at: now)
    }
    if let end = session.searchEnd, end <= now {
      session.searchEnd = nil
      session.isSearchOver = true
      if session.candidates.isEmpty { return finish(session.fallback, at: now) }
    }
    if let time = session.scanResumption, time <= now { scan() }
    if case .connecting(let since) = session.stage,
      since.advanced(by: session.attemptLimit) <= now
    {
      session.stage = .yielding
      session.host.cancelConnection(keepsLink: true)
    }
  }

  private mutating func timeIsUp(at now: Instant) {
    session.wholeEnd = nil
    if isWorking {
      finish(.timedOut, at: now)
    } else if session.fallback == .notFound, !session.candidates.isEmpty {
      finish(.unreachable(nil), at: now)
    } else {
      finish(session.fallback, at: now)
    }
  }
}

extension HCIErrorCode {
  /// Whether the same command would be refused again.
  fileprivate var isLasting: Bool {
    switch self {
    case .unknownCommand, .unsupportedFeatureOrParameterValue, .invalidCommandParameters: true
    default: isAboutRoom
    }
  }

  /// Whether this side has no room for another link.
  fileprivate var isAboutRoom: Bool {
    self == .connectionLimitExceeded || self == .memoryCapacityExceeded
      || self == .rejectedDueToLimitedResources
  }
}
