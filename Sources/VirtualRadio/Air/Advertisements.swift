import BluetoothHost

/// How advertisements reach scanners and initiators.
extension VirtualAir {
  /// Delivers one advertisement of `advertiser`: a matching initiator connects, and the scanners
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

  /// Delivers one advertisement of every advertiser to a controller that begins to scan.
  func listen(_ scanner: VirtualController) {
    for advertiser in advertisers.all {
      guard let advertising = advertiser.state.advertising,
        let rssi = signalStrength(from: advertiser, to: scanner)
      else { continue }
      scanner.report(advertiser, advertising, rssi: rssi)
      advertiser.state.advertising?.skip(to: now)
      // Whether other controllers hear it has not changed.
      if scanner.wouldReport(advertiser, advertising) { advertiser.isHeard = true }
      schedule.set(advertiser, advertiser.deadline)
    }
  }

  /// Connects a controller that begins to initiate, if its advertiser is already there.
  func seek(_ initiator: VirtualController) {
    for advertiser in sought(by: initiator) where connect(initiator, to: advertiser) { return }
  }

  /// Whether an advertisement of `advertiser` would cause a report or a link.
  func isHeard(_ advertiser: VirtualController, _ advertising: Advertising) -> Bool {
    listeners.all.contains { listener in
      guard signalStrength(from: advertiser, to: listener) != nil else { return false }
      return listener.wouldReport(advertiser, advertising)
        || meeting(of: listener, with: advertiser) != nil
    }
  }

  /// Two controllers that can connect, each as the other one sees it.
  private struct Meeting {
    /// The advertiser, as the initiator sees it.
    var advertiser: Sender
    /// The initiator, as the advertiser sees it.
    var initiator: Sender
  }

  /// The two sides, if `initiator` looks for `advertiser`, and each accepts the other.
  private func meeting(
    of initiator: VirtualController, with advertiser: VirtualController
  ) -> Meeting? {
    guard let initiation = initiator.state.initiation,
      let advertising = advertiser.state.advertising, advertising.isConnectable,
      signalStrength(from: advertiser, to: initiator) != nil,
      let found = initiator.finds(advertising, initiation),
      let address = initiator.address(initiation.own, towards: found.identity),
      let admitted = advertiser.admits(address, advertising),
      initiator.hasRoomForLink, advertiser.hasRoomForLink
    else { return nil }
    return Meeting(advertiser: found, initiator: admitted)
  }

  /// Creates a link, if possible.
  private func connect(_ initiator: VirtualController, to advertiser: VirtualController) -> Bool {
    guard let meeting = meeting(of: initiator, with: advertiser),
      let initiation = initiator.state.initiation, let advertising = advertiser.state.advertising
    else { return false }

    let parameters = initiation.parameters
    let central = LinkEnd(
      controller: initiator, handle: initiator.makeHandle(), role: .central,
      ownAddress: meeting.initiator.address, own: initiation.own, sender: meeting.advertiser,
      parameters: parameters)
    let peripheral = LinkEnd(
      controller: advertiser, handle: advertiser.makeHandle(), role: .peripheral,
      ownAddress: advertising.address, own: advertising.own, sender: meeting.initiator,
      parameters: parameters)
    central.peer = peripheral
    peripheral.peer = central
    meeting.advertiser.note()
    meeting.initiator.note()
    initiator.initiate(nil)
    advertiser.advertise(nil)
    initiator.begin(central)
    advertiser.begin(peripheral)
    // A host that has written a suggested data length gets it on each new link.
    initiator.requestAirTime(initiator.state.suggestedAirTime, on: central)
    advertiser.requestAirTime(advertiser.state.suggestedAirTime, on: peripheral)
    return true
  }
}

extension VirtualController {
  fileprivate var hasRoomForLink: Bool { links.count < configuration.maximumLinks }

  /// The advertiser, if this controller wants to connect to it and is allowed to.
  fileprivate func finds(_ advertising: Advertising, _ initiation: Initiation) -> Sender? {
    guard let sender = state.resolvingList.sender(at: advertising.address),
      !links.contains(where: { $0.sender.identity == sender.identity })
    else { return nil }
    if let target = initiation.target {
      // A host may also name a private address that it has resolved.
      guard target == sender.identity || target == sender.address else { return nil }
    } else if !state.acceptList.contains(sender.identity) {
      return nil
    }
    guard let target = advertising.target else { return sender }
    return isAddressed(by: sender, target, initiation.own) ? sender : nil
  }

  /// The initiator at `address`, if it may connect to this controller.
  fileprivate func admits(_ address: DeviceAddress, _ advertising: Advertising) -> Sender? {
    guard let sender = state.resolvingList.sender(at: address) else { return nil }
    let isAdmitted =
      if let target = advertising.target {
        target == address || advertising.peer == sender.identity
      } else {
        !advertising.connectsAcceptListOnly || state.acceptList.contains(sender.identity)
      }
    return isAdmitted ? sender : nil
  }

  // MARK: Starting and stopping

  /// Starts advertising; `nil` stops it.
  func advertise(_ advertising: Advertising?) {
    let former = state.advertising?.address
    state.advertising = advertising
    air?.advertisingChanged(of: self, former: former)
  }

  /// Starts scanning; `nil` stops it.
  func scan(_ scan: ScanSettings?) {
    state.scan = scan
    air?.listeningChanged(of: self)
    if scan?.manner.own.isPrivate == true { air?.reschedule(self) }
  }

  /// Starts initiating; `nil` stops it.
  func initiate(_ initiation: Initiation?) {
    state.initiation = initiation
    air?.listeningChanged(of: self)
    if initiation?.own.isPrivate == true { air?.reschedule(self) }
  }

  /// Stops advertising, scanning and initiating.
  func stopActivities() {
    if state.advertising != nil { advertise(nil) }
    if state.scan != nil { scan(nil) }
    if state.initiation != nil { initiate(nil) }
  }

  // MARK: Time

  /// The next time at which a timed event happens here, if `isHeard` is current.
  var deadline: Instant? {
    var earliest: Instant?
    func consider(_ instant: Instant?) {
      guard let instant else { return }
      earliest = min(earliest ?? instant, instant)
    }
    for end in links { consider(end.deadline) }
    consider(renewalDeadline)
    if let advertising = state.advertising {
      consider(advertising.end)
      if isHeard { consider(advertising.next) }
    }
    return earliest
  }

  /// Handles the first timed event that is due.
  func passDeadline() {
    guard let air else { return }
    if let end = links.first(where: { $0.deadline.map { $0 <= air.now } ?? false }) {
      passDeadline(of: end, at: air.now)
      return
    }
    if let due = renewalDeadline, due <= air.now {
      renewAddresses()
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
  /// Moves to the first advertisement after `now`, at the same interval.
  fileprivate mutating func skip(to now: Instant) {
    guard next <= now else { return }
    let missed = (now.rawValue - next.rawValue) / UInt64(interval) + 1
    next = Instant(rawValue: next.rawValue + missed * UInt64(interval))
  }
}
