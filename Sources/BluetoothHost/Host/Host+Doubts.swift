// Where the host's picture of its controller may be wrong: links without a Connection Complete,
// links without a Disconnection Complete, and advertising that is over.
//
// An event is lost when a controller crashes and recovers by itself, or when its host was too
// slow to read. Without this, one lost event would cost a place, or silence the peripheral.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// How long a link may be silent before the host asks after it, in milliseconds: a minute.
  static var linkCheckInterval: UInt32 { 60_000 }

  /// How long a controller without a link advertises before the host asks after it, in
  /// milliseconds.
  static var advertisingCheckInterval: UInt32 { 30_000 }

  /// Decides when the host next asks after what the controller does by itself.
  mutating func scheduleCheck(at now: Instant) {
    if Server.isPresent {
      serverRole.advertiser.owesCheck = false
      serverRole.advertiser.seemsSilent = false
    }
    if table.count > 0 {
      let isNeeded = controller.checksLinks || configuration.idleLimit != nil
      controller.checkTime = isNeeded ? now.advanced(by: Self.linkCheckInterval) : nil
    } else if Server.isPresent, serverRole.advertiser.isAdvertising {
      controller.checkTime = now.advanced(by: Self.advertisingCheckInterval)
      // Advertising has just begun: now the answer says what kind of controller it is.
      serverRole.advertiser.owesCheck = serverRole.advertiser.check == .doubtful
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
    if table.count > 0 {
      checkLinks(at: now)
    } else if Server.isPresent {
      checkAdvertising(at: now)
    }
  }

  private mutating func checkLinks(at now: Instant) {
    scheduleCheck(at: now)
    var quietest: Int?
    for index in 0..<links where connections[index].handle != nil {
      let isHeard = connections[index].isHeard
      connections[index].owesCheck = controller.checksLinks && !isHeard
      connections[index].isHeard = false
      let minutes = isHeard ? 0 : min(connections[index].silentMinutes, .max - 1) + 1
      connections[index].silentMinutes = minutes
      if minutes > connections[quietest ?? index].silentMinutes || quietest == nil {
        quietest = index
      }
    }
    guard Server.isPresent, let quietest, let limit = configuration.idleLimit,
      serverRole.advertiser.advertisement != nil, !hasRoomToAdvertise,
      connections[quietest].silentMinutes >= limit
    else { return }
    disconnect(at: quietest)
  }

  // MARK: Advertising that is over

  private mutating func checkAdvertising(at now: Instant) {
    guard serverRole.advertiser.seemsSilent else {
      serverRole.advertiser.owesCheck = serverRole.advertiser.isAdvertising
      return
    }
    if serverRole.advertiser.check == .reliable {
      fail(.stoppedAdvertising, restartAt: now)
    } else {
      serverRole.advertiser.check = .doubtful
      start(at: now)
    }
  }

  /// The controller has answered whether it takes new advertising parameters.
  mutating func advertisingWasChecked(_ status: HCIErrorCode, at now: Instant) {
    guard table.count == 0, serverRole.advertiser.isAdvertising else { return }
    if status == .commandDisallowed {
      serverRole.advertiser.check = .reliable
    } else if serverRole.advertiser.check == .doubtful {
      serverRole.advertiser.check = .unreliable
    }
    scheduleCheck(at: now)
    if status == .success, serverRole.advertiser.check != .unreliable {
      // The event of a link that has ended the advertising just now may still come.
      serverRole.advertiser.seemsSilent = true
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
    guard let index = freeIndex(for: header.handle),
      connections[index].expectedHandle == nil || connections[index].expectedHandle == header.handle
    else { return }
    if connections[index].expectedHandle == nil {
      reassemblers[index].reset()
      connections[index].expectedHandle = header.handle
    }
    reassemblers[index].keep(header, data)
  }

  /// The index for the link `handle`: the one that has its early data, or else one at which no link
  /// is expected, or else any that is free; `nil` if none is.
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

  /// What was kept of the link `handle` at `index`; nothing if another link, or none, was expected.
  mutating func takeEarly(of handle: ConnectionHandle, at index: Int) -> ByteBuffer<521> {
    var early = ByteBuffer<521>()
    if connections[index].expectedHandle == handle { reassemblers[index].copyKept(to: &early) }
    forgetExpected(at: index)
    return early
  }

  /// Receives the packets that were kept of a link, which is known now.
  mutating func receive(kept: borrowing ByteBuffer<521>, at now: Instant) {
    var reader = ByteReader(kept.span)
    while reader.readUInt8() != nil, ACLHeader(&reader) != nil, let length = reader.readUInt16(),
      reader.readBytes(Int(length)) != nil
    {
      let end = kept.count - reader.count
      let start = end - Int(length) - ACLHeader.packetHeaderLength
      receive(kept.span.extracting(start..<end), at: now)
    }
  }

  /// The link `handle` will not come: its early data is forgotten.
  mutating func forgetEarly(_ handle: ConnectionHandle) {
    for index in 0..<links where connections[index].expectedHandle == handle {
      forgetExpected(at: index)
    }
  }

  /// No link is expected at `index` any more.
  mutating func forgetExpected(at index: Int) {
    connections[index].expectedHandle = nil
    reassemblers[index].reset()
  }

  /// A link that the host did not know has ended. It may have been made out of advertising that
  /// the host thinks is on: that is turned off, and on again.
  mutating func unknownLinkEnded(_ handle: ConnectionHandle) {
    guard controller.phase == .ready else { return }
    controller.unknownLinks.remove(handle)
    forgetEarly(handle)
    if Server.isPresent { serverRole.advertiser.doubtsAdvertising = true }
    controller.owesCommands = true
  }

  // MARK: Links without a Disconnection Complete

  /// The controller has no link `handle`: the event of its end was lost. With the last one, the
  /// controller is set up again, since it may have lost everything.
  mutating func linkIsMissing(_ handle: ConnectionHandle?, at now: Instant) {
    guard let handle, let index = table.index(of: handle) else { return }
    close(index, reason: .unspecifiedError, at: now)
    if table.count == 0, !controller.isShuttingDown { start(at: now) }
  }
}
