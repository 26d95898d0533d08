// Recovery from lost events: links without a Connection Complete, links without a Disconnection
// Complete, and advertising that has ended.
//
// Events are lost when a controller crashes and restarts, or when its host reads too slowly.
// Without recovery, one lost event would occupy a connection for ever, or stop the advertising.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// How long a link may be silent before the host checks it, in milliseconds: a minute.
  static var linkCheckInterval: UInt32 { 60_000 }

  /// How long a controller without a link advertises before the host checks the advertising, in
  /// milliseconds.
  static var advertisingCheckInterval: UInt32 { 30_000 }

  /// Schedules the next check of the links, or, without a link, of the advertising.
  mutating func scheduleCheck(at now: Instant) {
    if Server.isPresent {
      serverRole.advertiser.isCheckPending = false
      serverRole.advertiser.seemsStopped = false
    }
    if table.count > 0 {
      let isNeeded = controller.checksLinks || configuration.idleLimit != nil
      controller.checkTime = isNeeded ? now.advanced(by: Self.linkCheckInterval) : nil
    } else if Server.isPresent, serverRole.advertiser.isAdvertising {
      controller.checkTime = now.advanced(by: Self.advertisingCheckInterval)
      // Advertising has just begun, so the answer shows how this controller behaves.
      serverRole.advertiser.isCheckPending = serverRole.advertiser.check == .uncertain
    } else {
      controller.checkTime = nil
    }
  }

  /// Does what is due.
  mutating func advanceRecovery(to now: Instant) {
    if controller.unknownLinks.advance(to: now) {
      controller.mayHaveCommands = true
      // The image of a machine without security has no room for this.
      if Security.isPresent, hasUnreportedLink { controllerSeemsReset(at: now) }
    }
    guard let time = controller.checkTime, time <= now else { return }
    controller.checkTime = nil
    controller.mayHaveCommands = true
    if table.count > 0 {
      checkLinks(at: now)
    } else if Server.isPresent {
      checkAdvertising(at: now)
    }
  }

  private mutating func checkLinks(at now: Instant) {
    scheduleCheck(at: now)
    // A controller that refused to advertise with links may do it now.
    if Server.isPresent { serverRole.advertiser.isAdvertisingRefused = false }
    var quietest: Int?
    for index in 0..<links where connections[index].handle != nil {
      let hasReceivedData = connections[index].hasReceivedData
      connections[index].hasReceivedData = false
      let minutes = hasReceivedData ? 0 : min(connections[index].silentMinutes, .max - 1) + 1
      connections[index].silentMinutes = minutes
      // A controller that left Read RSSI unanswered may have been reset since. The image of a machine without security
      // has no room for this.
      let isIdle = Security.isPresent && minutes >= configuration.idleLimit ?? .max
      connections[index].isCheckPending = (controller.checksLinks || isIdle) && !hasReceivedData
      if minutes > connections[quietest ?? index].silentMinutes || quietest == nil {
        quietest = index
      }
    }
    guard Server.isPresent, let quietest, let limit = configuration.idleLimit,
      hasAdvertisement, !hasRoomToAdvertise,
      connections[quietest].silentMinutes >= limit
    else { return }
    disconnect(at: quietest)
  }

  // MARK: Advertising that has ended

  private mutating func checkAdvertising(at now: Instant) {
    guard serverRole.advertiser.seemsStopped else {
      serverRole.advertiser.isCheckPending = serverRole.advertiser.isAdvertising
      return
    }
    if serverRole.advertiser.check == .reliable {
      fail(.stoppedAdvertising, restartAt: now)
    } else {
      serverRole.advertiser.check = .uncertain
      start(at: now)
    }
  }

  /// Takes the result of Set Advertising Parameters, which is disallowed while advertising is on.
  mutating func advertisingWasChecked(_ status: HCIErrorCode, at now: Instant) {
    guard table.count == 0, serverRole.advertiser.isAdvertising else { return }
    if status == .commandDisallowed {
      serverRole.advertiser.check = .reliable
    } else if serverRole.advertiser.check == .uncertain {
      serverRole.advertiser.check = .unreliable
    }
    scheduleCheck(at: now)
    if status == .success, serverRole.advertiser.check != .unreliable {
      // The Connection Complete event that ended the advertising may still arrive.
      serverRole.advertiser.seemsStopped = true
      controller.checkTime = now.advanced(by: CommandFlow.timeout)
    }
  }

  // MARK: Links without a Connection Complete

  /// Keeps data of an unknown link. Its Connection Complete may still arrive: over USB, data and
  /// events use different endpoints.
  @inline(never) mutating func receiveEarly(
    _ header: ACLHeader, _ data: Span<UInt8>, at now: Instant
  ) {
    guard controller.phase == .ready else { return }
    controller.unknownLinks.note(header.handle, endedAt: now.advanced(by: CommandFlow.timeout))
    guard let index = freeIndex(for: header.handle),
      connections[index].expectedHandle == nil || connections[index].expectedHandle == header.handle
    else { return }
    if connections[index].expectedHandle == nil {
      reassemblers[index].reset()
      connections[index].expectedHandle = header.handle
    }
    reassemblers[index].store(header, data)
  }

  /// The index for the link `handle`: the one with its early data, or else a free one that expects
  /// no link, or else any free one; `nil` if none is free.
  func freeIndex(for handle: ConnectionHandle) -> Int? {
    var free: Int?
    for index in 0..<links where connections[index].handle == nil {
      guard let expected = connections[index].expectedHandle else {
        if free == nil || connections[free ?? 0].expectedHandle != nil { free = index }
        continue
      }
      if expected == handle { return index }
      free = free ?? index
    }
    return free
  }

  /// The early data of the link `handle` at `index`; empty if another link, or none, was expected.
  mutating func takeEarly(of handle: ConnectionHandle, at index: Int) -> ByteBuffer<521> {
    var early = ByteBuffer<521>()
    if connections[index].expectedHandle == handle { reassemblers[index].copyStored(to: &early) }
    forgetExpected(at: index)
    return early
  }

  /// Receives the early packets of a link that is now known.
  mutating func receive(early: borrowing ByteBuffer<521>, at now: Instant) {
    var reader = ByteReader(early.span)
    while reader.readUInt8() != nil, ACLHeader(&reader) != nil, let length = reader.readUInt16(),
      reader.readBytes(Int(length)) != nil
    {
      let end = early.count - reader.count
      let start = end - Int(length) - ACLHeader.packetHeaderLength
      receive(early.span.extracting(start..<end), at: now)
    }
  }

  /// Forgets the early data of the link `handle`, which was never opened.
  mutating func forgetEarly(_ handle: ConnectionHandle) {
    for index in 0..<links where connections[index].expectedHandle == handle {
      forgetExpected(at: index)
    }
  }

  /// Stops expecting a link at `index`.
  mutating func forgetExpected(at index: Int) {
    connections[index].expectedHandle = nil
    reassemblers[index].reset()
  }

  /// An unknown link has ended. It may have ended the advertising too, so the host turns
  /// advertising off and on again.
  mutating func unknownLinkEnded(_ handle: ConnectionHandle) {
    guard controller.phase == .ready else { return }
    controller.unknownLinks.remove(handle)
    forgetEarly(handle)
    if Server.isPresent { serverRole.advertiser.isAdvertisingUncertain = true }
    controller.mayHaveCommands = true
  }

  /// Whether data of a link has come, and in time no Connection Complete.
  private var hasUnreportedLink: Bool {
    for index in 0..<links where connections[index].handle == nil {
      if let handle = connections[index].expectedHandle, controller.unknownLinks.isDue(handle) {
        return true
      }
    }
    return false
  }

  /// The controller seems to have been reset: it reports no connection, or has forgotten a set. The host checks its
  /// links, even if Read RSSI was left unanswered before. If there is none, the host sets the controller up again.
  mutating func controllerSeemsReset(at now: Instant) {
    guard table.count > 0 else {
      if !controller.isShuttingDown { start(at: now) }
      return
    }
    controller.checksLinks = true
    controller.mayHaveCommands = true
    for index in 0..<links where connections[index].handle != nil {
      connections[index].isCheckPending = true
    }
  }

  // MARK: Links without a Disconnection Complete

  /// The controller has no link `handle`: its Disconnection Complete was lost. If that was the last
  /// link, the host sets the controller up again, since it may have lost all its state.
  mutating func linkIsMissing(_ handle: ConnectionHandle?, at now: Instant) {
    guard let handle, let index = table.index(of: handle) else { return }
    close(index, reason: .unspecifiedError, at: now)
    if table.count == 0, !controller.isShuttingDown { start(at: now) }
  }
}
