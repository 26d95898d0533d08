import BluetoothHost

/// Advertising, scanning and initiating, and the times at which something happens.
extension VirtualController {
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
    if scan?.parameters.own.isPrivate == true { air?.reschedule(self) }
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

  /// The next time at which a timed event happens here, if `hasReceivers` is current.
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
      if hasReceivers { consider(advertising.next) }
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
    air.deliverAdvertisement(of: self)
  }
}

extension Advertising {
  /// Moves to the first advertisement after `now`, at the same interval.
  mutating func skip(to now: Instant) {
    guard next <= now else { return }
    let missed = (now.rawValue - next.rawValue) / UInt64(interval) + 1
    next = Instant(rawValue: next.rawValue + missed * UInt64(interval))
  }
}
