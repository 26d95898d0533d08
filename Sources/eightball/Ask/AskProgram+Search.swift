import BluetoothHost
import EightBall

// From an advertisement to a link with a ball.
extension AskProgram {
  /// Handles what the host has reported, and asks it for what follows, until nothing is left.
  mutating func handleEvents(at now: Instant) {
    repeat {
      if host.security.delegate.hasNews { handleSecurity(at: now) }
      for event in host.client.application.takeEvents() { handle(event, at: now) }
      update(at: now)
    } while host.client.application.hasEvents || host.security.delegate.hasNews
  }

  private mutating func handle(_ event: ClientEvent, at now: Instant) {
    switch event {
    case .ready: begin(at: now)
    case .broken(let error): finish(.radioFailed(error), at: now)
    case .heard(let device): take(device, at: now)
    case .connected: linked(at: now)
    case .connectionFailed(let reason): notConnected(reason, at: now)
    case .disconnected(let reason): lost(reason, at: now)
    case .ended(_, let error): ended(error, at: now)
    case .notified(let handle, let value): notified(handle, value, at: now)
    }
  }

  /// The radio is ready.
  private mutating func begin(at now: Instant) {
    // The peer recognises this device by its address.
    if host.security.identity?.address != host.address {
      host.security.identity = LocalIdentity(identityResolvingKey: .zero, address: host.address)
    }
    guard outcome == nil else { return }
    printer.searches(request)
    searchEnd = searchEnd ?? now.advanced(by: request.searchTimeout)
    wholeEnd = wholeEnd ?? request.wholeTimeout.map { now.advanced(by: $0) }
    scan()
  }

  /// Scans for every report: a ball may be found again.
  private mutating func scan() {
    scanResumption = nil
    var parameters = ScanParameters()
    parameters.filtersDuplicates = false
    host.scan(parameters)
  }

  private mutating func take(_ device: NearbyDevice, at now: Instant) {
    guard outcome == nil, !isChosen, device.isBall, let name = device.name, !name.isEmpty,
      request.name == nil || request.name == name, !rejected.contains(device.address),
      roomTime.map({ $0 <= now }) ?? true,
      !candidates.contains(where: { $0.address == device.address })
    else { return }
    candidates.append(device)
    if candidates.count == 1 { prepareFirst(at: now) }
  }

  /// Begins with the first candidate.
  private mutating func prepareFirst(at now: Instant) {
    guard let first = candidates.first else { return }
    printer.found(first)
    preparationEnd = now.advanced(by: request.preparationTimeout)
    if stage != .dropping { stage = .waiting(until: now) }
  }

  /// Asks the host for what is due: a link, or the next operation on it.
  private mutating func update(at now: Instant) {
    if outcome == nil, case .waiting(let time) = stage, time <= now, let first = candidates.first,
      host.canConnect, host.connect(to: first.address)
    {
      stage = .connecting(since: now)
      host.scan(nil)
    }
    guard stage == .linked else { return }
    perform(at: now)
  }

  private mutating func linked(at now: Instant) {
    guard outcome == nil, let first = candidates.first, stage != .dropping else {
      host.disconnect(at: 0)
      return
    }
    printer.connected(first)
    stage = .linked
    closing = nil
    running = nil
    step = .exchangeMTU
    scanResumption = now.advanced(by: Self.scanPause)
  }

  /// An attempt has ended without a link.
  private mutating func notConnected(_ reason: HCIErrorCode, at now: Instant) {
    guard outcome == nil, !candidates.isEmpty else {
      stage = .waiting(until: now)
      return
    }
    switch stage {
    case .yielding:
      stage = .waiting(until: now.advanced(by: Self.turn))
      scan()
    case .connecting where reason == .hardwareFailure:
      giveUp(with: .unreachable(.offline), at: now)
    case .connecting where reason.isLasting:
      roomTime = reason.isAboutRoom ? now.advanced(by: Self.roomPause) : nil
      giveUp(with: .unreachable(reason.isAboutRoom ? .connectionLimit : .offline), at: now)
    case .connecting:
      stage = .waiting(until: now.advanced(by: Self.retryPause))
      scan()
    case .dropping:
      stage = .waiting(until: now)
    case .waiting, .linked: return
    }
  }

  /// The link has ended.
  private mutating func lost(_ reason: HCIErrorCode, at now: Instant) {
    let wasDropped = stage == .dropping
    let isAboutKeys = closing.map(\.isAboutKeys) ?? (reason == .pinOrKeyMissing)
    stage = .waiting(until: now)
    closing = nil
    isSubscribed = false
    running = nil
    step = nil
    securing = nil
    guard outcome == nil else {
      if !isShuttingDown { shutDown(at: now) }
      return
    }
    guard !wasDropped, let first = candidates.first else { return }
    // The next link would end in the same way.
    if isAboutKeys { rejected.append(first.address) }
    if isChosen {
      finish(isAboutKeys && question != nil ? .failed(.keys) : .disconnected, at: now)
    } else {
      giveUp(with: isAboutKeys ? .failed(.keys) : .unreachable(.offline), at: now)
    }
  }

  /// Continues with the next found ball, or waits for one while the search lasts.
  ///
  /// - Parameter outcome: The outcome if no other ball is found.
  mutating func giveUp(with outcome: AskOutcome, at now: Instant) {
    fallback = outcome
    preparationEnd = nil
    let first = candidates.removeFirst()
    switch stage {
    case .connecting, .yielding:
      stage = .dropping
      host.cancelConnection()
    case .linked:
      rejected.append(first.address)
      stage = .dropping
      step = nil
      securing = nil
      host.disconnect(at: 0)
    case .waiting, .dropping: break
    }
    guard candidates.isEmpty else { return prepareFirst(at: now) }
    if isSearchOver { return finish(fallback, at: now) }
    scan()
  }

  /// Ends what has taken too long.
  mutating func expire(at now: Instant) {
    if let end = answerEnd, end <= now {
      answerEnd = nil
      conclude(.timedOut, at: now)
    }
    if let end = wholeEnd, end <= now { return timeIsUp(at: now) }
    if let end = preparationEnd, end <= now {
      preparationEnd = nil
      giveUp(with: fallback == .noBallFound ? .unreachable(nil) : fallback, at: now)
    }
    if let end = searchEnd, end <= now {
      searchEnd = nil
      isSearchOver = true
      if candidates.isEmpty { return finish(fallback, at: now) }
    }
    if let time = scanResumption, time <= now { scan() }
    if case .connecting(let since) = stage, since.advanced(by: Self.turn) <= now {
      stage = .yielding
      host.cancelConnection(keepsLink: true)
    }
  }

  private mutating func timeIsUp(at now: Instant) {
    wholeEnd = nil
    if question != nil {
      finish(.timedOut, at: now)
    } else if fallback == .noBallFound, !candidates.isEmpty {
      finish(.unreachable(nil), at: now)
    } else {
      finish(fallback, at: now)
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
