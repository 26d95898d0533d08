// Where the host's picture of its controller may be wrong: links without a Connection Complete,
// links without a Disconnection Complete, and advertising that is over.
//
// An event is lost when a controller crashes and recovers by itself, or when its host was too
// slow to read. Without this, one lost event would cost a place, or silence the peripheral.
extension Host where Database: ~Copyable, Application: ~Copyable {
  /// How long a link may be silent before the host asks after it, in milliseconds: a minute.
  static var linkCheckInterval: UInt32 { 60_000 }

  /// How long a controller without a link advertises before the host asks after it, in
  /// milliseconds.
  static var advertisingCheckInterval: UInt32 { 30_000 }

  /// Decides when the host next asks after what the controller does by itself.
  mutating func scheduleCheck(at now: Instant) {
    controller.owesAdvertisingCheck = false
    controller.seemsSilent = false
    if connectionCount > 0 {
      let isNeeded = controller.checksLinks || configuration.idleLimit != nil
      controller.checkTime = isNeeded ? now.advanced(by: Self.linkCheckInterval) : nil
    } else if controller.isAdvertising {
      controller.checkTime = now.advanced(by: Self.advertisingCheckInterval)
      // Advertising has just begun: now the answer says what kind of controller it is.
      controller.owesAdvertisingCheck = controller.advertisingCheck == .doubtful
    } else {
      controller.checkTime = nil
    }
  }

  /// Does what has become due.
  mutating func advanceDoubts(to now: Instant) {
    if controller.unknownLinks.advance(to: now) { controller.owesCommands = true }
    guard let time = controller.checkTime, time <= now else { return }
    controller.checkTime = nil
    controller.owesCommands = true
    if connectionCount == 0 {
      checkAdvertising(at: now)
    } else {
      checkLinks(at: now)
    }
  }

  private mutating func checkLinks(at now: Instant) {
    scheduleCheck(at: now)
    var quietest: Int?
    for place in 0..<places where connections[place].handle != nil {
      let isHeard = connections[place].isHeard
      connections[place].owesCheck = controller.checksLinks && !isHeard
      connections[place].isHeard = false
      let minutes = isHeard ? 0 : min(connections[place].silentMinutes, .max - 1) + 1
      connections[place].silentMinutes = minutes
      if minutes > connections[quietest ?? place].silentMinutes || quietest == nil {
        quietest = place
      }
    }
    guard let quietest, let limit = configuration.idleLimit, advertisement != nil,
      connectionCount == places, connections[quietest].silentMinutes >= limit
    else { return }
    connections[quietest].disconnectReason = .remoteUserTerminatedConnection
  }

  // MARK: Advertising that is over

  private mutating func checkAdvertising(at now: Instant) {
    guard controller.seemsSilent else {
      controller.owesAdvertisingCheck = controller.isAdvertising
      return
    }
    if controller.advertisingCheck == .reliable {
      fail(.stoppedAdvertising, restartAt: now)
    } else {
      controller.advertisingCheck = .doubtful
      start(at: now)
    }
  }

  /// The controller has answered whether it takes new advertising parameters.
  mutating func advertisingWasChecked(_ status: HCIErrorCode, at now: Instant) {
    guard connectionCount == 0, controller.isAdvertising else { return }
    if status == .commandDisallowed {
      controller.advertisingCheck = .reliable
    } else if controller.advertisingCheck == .doubtful {
      controller.advertisingCheck = .unreliable
    }
    scheduleCheck(at: now)
    if status == .success, controller.advertisingCheck != .unreliable {
      // The event of a link that has ended the advertising just now may still come.
      controller.seemsSilent = true
      controller.checkTime = now.advanced(by: CommandFlow.patience)
    }
  }

  // MARK: Links without a Connection Complete

  /// Keeps data of a link that the host does not know, for which its event may still come: over USB,
  /// data and events travel by different pipes.
  @inline(never)
  mutating func receiveEarly(_ header: ACLHeader, _ data: Span<UInt8>, at now: Instant) {
    guard controller.phase == .ready else { return }
    controller.unknownLinks.note(
      header.handle, endedAt: now.advanced(by: CommandFlow.patience))
    guard let place = freePlace(for: header.handle),
      connections[place].expectedHandle == nil || connections[place].expectedHandle == header.handle
    else { return }
    connections[place].keepEarly(
      data, startsFrame: header.boundary != .continuing, of: header.handle)
  }

  /// The place for the link `handle`: the one that has its early data, or else one in which no link
  /// is expected, or else any that is free; `nil` if none is.
  func freePlace(for handle: ConnectionHandle) -> Int? {
    var free: Int?
    for place in 0..<places where connections[place].handle == nil {
      guard let expected = connections[place].expectedHandle else {
        if free == nil || connections[free ?? 0].expectedHandle != nil { free = place }
        continue
      }
      if expected == handle { return place }
      free = free ?? place
    }
    return free
  }

  /// Receives what was kept for the link that is now at `place`.
  mutating func receive(_ early: borrowing ByteBuffer<517>, at place: Int) {
    var reader = ByteReader(early.span)
    while let word = reader.readUInt16(), let data = reader.readBytes(Int(word >> 1)) {
      connections[place].receive(
        data, startsFrame: word & 1 != 0, at: place, server: &server, application: &application)
    }
  }

  /// The link `handle` will not come: its early data is forgotten.
  mutating func forgetEarly(_ handle: ConnectionHandle) {
    for place in 0..<places where connections[place].expectedHandle == handle {
      connections[place].close()
    }
  }

  /// A link that the host did not know has ended. It may have been made out of advertising that
  /// the host thinks is on: that is turned off, and on again.
  mutating func unknownLinkEnded(_ handle: ConnectionHandle) {
    guard controller.phase == .ready else { return }
    controller.unknownLinks.remove(handle)
    forgetEarly(handle)
    controller.doubtsAdvertising = true
    controller.owesCommands = true
  }

  // MARK: Links without a Disconnection Complete

  /// The controller has no link `handle`: the event of its end was lost. With the last one, the
  /// controller is set up again, since it may have lost everything.
  mutating func linkIsMissing(_ handle: ConnectionHandle?, at now: Instant) {
    guard let handle, let place = place(of: handle) else { return }
    close(place, reason: .unspecifiedError, at: now)
    if connectionCount == 0, !controller.isShuttingDown { start(at: now) }
  }
}
