import BluetoothHost

/// Advertising, scanning and initiating, and the times at which something happens.
extension VirtualController {
  /// Starts or changes the advertising of a set; `nil` stops it.
  func advertise(_ advertising: Advertising?, in set: AdvertiserSet) {
    let former = set.active?.address
    set.active = advertising
    set.times = AdvertisingTimes()
    if set.periodic != nil { updateTrain(of: set) }
    air?.advertisingChanged(of: self, from: former, to: advertising?.address)
  }

  /// Whether any set advertises.
  public var isAdvertising: Bool { state.sets.contains { $0.active != nil } }

  /// Starts scanning; `nil` stops it.
  func scan(_ scan: ScanSettings?) {
    state.scan = scan
    air?.listeningChanged(of: self)
    if scan?.parameters.own.isPrivate == true || scan?.end != nil { air?.reschedule(self) }
  }

  /// Starts initiating; `nil` stops it.
  func initiate(_ initiation: Initiation?) {
    state.initiation = initiation
    air?.listeningChanged(of: self)
    if initiation?.own.isPrivate == true { air?.reschedule(self) }
  }

  /// Stops advertising, scanning, initiating, and trains.
  func stopActivities() {
    for synchronization in state.synchronizations { synchronization.leave() }
    state.synchronizations = []
    for set in state.sets {
      set.periodic = nil
      set.train = nil
      if set.active != nil { advertise(nil, in: set) }
    }
    if state.scan != nil { scan(nil) }
    if state.initiation != nil { initiate(nil) }
  }

  // MARK: Time

  /// The next time at which a timed event happens here, if `hasReceivers` is current.
  var deadline: Instant? {
    var earliest: Instant?
    func consider(_ instant: Instant?) {
      guard let instant else { return }
      earliest = min(earliest ?? instant, instant)
    }
    for end in links { consider(end.deadline) }
    consider(renewalDeadline)
    consider(silenceEnd)
    consider(state.scan?.end)
    for synchronization in state.synchronizations { consider(synchronization.end) }
    for set in state.sets {
      if let train = set.train { consider(train.deadline) }
      guard let advertising = set.active else { continue }
      consider(advertising.end)
      if set.hasReceivers { consider(advertising.next) }
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
    if let end = silenceEnd, end <= air.now { return endSilence() }
    if let due = renewalDeadline, due <= air.now {
      renewAddresses()
      return
    }
    if let end = state.scan?.end, end <= air.now {
      scan(nil)
      emit(LEScanTimeout())
      return
    }
    if let late = state.synchronizations.first(where: { $0.end <= air.now }) { return lose(late) }
    for set in state.sets {
      if let next = set.train?.deadline, next <= air.now { return air.deliverTrain(of: set) }
      guard let advertising = set.active else { continue }
      if let end = advertising.end, end <= air.now { return finish(set, advertising) }
      guard set.hasReceivers, advertising.next <= air.now else { continue }
      set.active?.skip(to: air.now)
      return air.deliverAdvertisement(of: set)
    }
    air.reschedule(self)
  }

  /// The advertising of a set has reached its end without a link.
  private func finish(_ set: AdvertiserSet, _ advertising: Advertising) {
    advertise(nil, in: set)
    guard set.handle != nil else {
      return emitConnectionFailure(.advertisingTimeout, role: .peripheral)
    }
    terminated(set, advertising.endStatus, nil)
  }

  /// Reports that a set has stopped, for a link or without one.
  func terminated(_ set: AdvertiserSet, _ status: HCIErrorCode, _ end: LinkEnd?) {
    guard let handle = set.handle else { return }
    emit(
      LEAdvertisingSetTerminated(
        status: status, handle: handle, connection: end?.handle ?? ConnectionHandle(rawValue: 0)))
  }
}
