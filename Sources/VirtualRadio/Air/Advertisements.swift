import BluetoothHost

/// Who hears whom.
extension VirtualAir {
  /// One advertisement of `advertiser`: an initiator that wants to connect does, and the scanners
  /// report it.
  func hear(_ advertiser: VirtualController) {
    defer { reschedule(advertiser) }
    for listener in listeners.all {
      guard let advertising = advertiser.state.advertising else { return }
      guard let rssi = signalStrength(from: advertiser, to: listener) else { continue }
      if connect(listener, to: advertiser) { return }
      listener.report(advertiser, advertising, rssi: rssi)
    }
  }

  /// A controller that begins to scan hears every advertiser once, at once.
  func listen(_ scanner: VirtualController) {
    for advertiser in advertisers.all {
      guard let advertising = advertiser.state.advertising,
        let rssi = signalStrength(from: advertiser, to: scanner)
      else { continue }
      scanner.report(advertiser, advertising, rssi: rssi)
      advertiser.state.advertising?.skip(to: now)
      // Whether others hear it has not changed.
      if scanner.isCurious(about: advertiser, advertising) { advertiser.isHeard = true }
      schedule.set(advertiser, advertiser.deadline)
    }
  }

  /// A controller that begins to initiate finds its advertiser, if it is there, at once.
  func seek(_ initiator: VirtualController) {
    for advertiser in sought(by: initiator) where connect(initiator, to: advertiser) { return }
  }

  /// Whether anything would come of an advertisement of `advertiser`.
  func isHeard(_ advertiser: VirtualController, _ advertising: Advertising) -> Bool {
    listeners.all.contains { listener in
      guard signalStrength(from: advertiser, to: listener) != nil else { return false }
      return listener.isCurious(about: advertiser, advertising)
        || canConnect(listener, to: advertiser)
    }
  }

  /// Whether `initiator` is looking for `advertiser`, and each takes the other.
  private func canConnect(_ initiator: VirtualController, to advertiser: VirtualController) -> Bool
  {
    guard let initiation = initiator.state.initiation,
      let advertising = advertiser.state.advertising, advertising.isConnectable
    else { return false }
    return signalStrength(from: advertiser, to: initiator) != nil
      && initiator.seeks(advertising.address, initiation)
      && advertiser.admits(initiation.ownAddress, advertising)
      && initiator.hasRoomForLink && advertiser.hasRoomForLink
  }

  /// Makes a link, if it can be made.
  private func connect(_ initiator: VirtualController, to advertiser: VirtualController) -> Bool {
    guard canConnect(initiator, to: advertiser), let initiation = initiator.state.initiation,
      let advertising = advertiser.state.advertising
    else { return false }

    let parameters = initiation.parameters
    let central = LinkEnd(
      controller: initiator, handle: initiator.makeHandle(), role: .central,
      ownAddress: initiation.ownAddress, peerAddress: advertising.address, parameters: parameters)
    let peripheral = LinkEnd(
      controller: advertiser, handle: advertiser.makeHandle(), role: .peripheral,
      ownAddress: advertising.address, peerAddress: initiation.ownAddress, parameters: parameters)
    central.peer = peripheral
    peripheral.peer = central
    initiator.initiate(nil)
    advertiser.advertise(nil)
    initiator.begin(central)
    advertiser.begin(peripheral)
    // A host that has suggested longer packets gets them without asking again for each link.
    initiator.requestAirTime(initiator.state.suggestedAirTime, on: central)
    advertiser.requestAirTime(advertiser.state.suggestedAirTime, on: peripheral)
    return true
  }
}

extension VirtualController {
  fileprivate var hasRoomForLink: Bool { links.count < configuration.maximumLinks }

  fileprivate func seeks(_ address: DeviceAddress, _ initiation: Initiation) -> Bool {
    guard !links.contains(where: { $0.peerAddress == address }) else { return false }
    guard let target = initiation.target else { return state.acceptList.contains(address) }
    return target == address
  }

  fileprivate func admits(_ address: DeviceAddress, _ advertising: Advertising) -> Bool {
    if let target = advertising.target { return target == address }
    return !advertising.connectsAcceptListOnly || state.acceptList.contains(address)
  }

  // MARK: Beginnings and ends

  /// Begins to advertise, or ends it.
  func advertise(_ advertising: Advertising?) {
    let former = state.advertising?.address
    state.advertising = advertising
    air?.advertisingChanged(of: self, former: former)
  }

  /// Begins to scan, or ends it.
  func scan(_ scan: Scan?) {
    state.scan = scan
    air?.listeningChanged(of: self)
  }

  /// Begins to look for an advertiser to connect to, or ends it.
  func initiate(_ initiation: Initiation?) {
    state.initiation = initiation
    air?.listeningChanged(of: self)
  }

  /// Ends all three.
  func fallSilent() {
    if state.advertising != nil { advertise(nil) }
    if state.scan != nil { scan(nil) }
    if state.initiation != nil { initiate(nil) }
  }

  // MARK: Time

  /// The next moment at which something happens here by itself, as far as `isHeard` is right.
  var deadline: Instant? {
    var earliest: Instant?
    func consider(_ instant: Instant?) {
      guard let instant else { return }
      earliest = min(earliest ?? instant, instant)
    }
    for end in links { consider(end.lossDeadline) }
    if let advertising = state.advertising {
      consider(advertising.end)
      if isHeard { consider(advertising.next) }
    }
    return earliest
  }

  /// Lets the first thing that is due happen.
  func passDeadline() {
    guard let air else { return }
    if let end = links.first(where: { $0.lossDeadline.map { $0 <= air.now } ?? false }) {
      finish(end, .connectionTimeout)
      return
    }
    guard let advertising = state.advertising else { return air.reschedule(self) }
    if let end = advertising.end, end <= air.now {
      advertise(nil)
      emitConnectionFailure(.advertisingTimeout, role: .peripheral)
      return
    }
    guard advertising.next <= air.now else { return air.reschedule(self) }
    state.advertising?.skip(to: air.now)
    air.hear(self)
  }
}

extension Advertising {
  /// Moves to the first advertisement after `now`, at the same pace.
  fileprivate mutating func skip(to now: Instant) {
    guard next <= now else { return }
    let missed = (now.rawValue - next.rawValue) / UInt64(interval) + 1
    next = Instant(rawValue: next.rawValue + missed * UInt64(interval))
  }
}
