// Data of channels: incoming K-frames, and outgoing packets when the controller has room.
//
// Core Specification, Vol 3, Part A, 3.4 and 10.1.
extension CreditBasedChannels where Application: ~Copyable {
  /// Takes the payload of a K-frame. It is ignored if the channel is not open: the peer may have
  /// sent it before it learned of the closing.
  public mutating func receive(
    _ payload: Span<UInt8>, to cid: L2CAPChannel, on connection: borrowing Connection
  ) {
    guard let channel = channel(with: cid, at: connection.index), entries[channel].isEstablished
    else { return }
    do throws(ChannelEnd) {
      let segment = try entries[channel].receive(payload, mps: mps)
      // A frame without bytes is ignored, unless it is an empty SDU.
      if !segment.bytes.isEmpty || segment.sduLength == 0 {
        application.received(segment, on: channel)
      }
      markReady(channel)
    } catch { disconnect(channel, with: error) }
  }

  /// Takes a frame for a channel that is too long for the host, and so longer than the MPS: 3.4.3.
  public mutating func receiveOverlong(to cid: L2CAPChannel, on connection: borrowing Connection) {
    guard let channel = channel(with: cid, at: connection.index), entries[channel].isEstablished
    else { return }
    disconnect(channel, with: .frameTooLong)
  }

  /// Whether a K-frame is being sent, fragment by fragment.
  public func isSending(on connection: borrowing Connection) -> Bool {
    bearers[connection.index].unfinished != nil
  }

  /// Whether there may be a packet to send, without preparing one.
  public func hasPacket(for connection: borrowing Connection) -> Bool {
    if bearers[connection.index].unfinished != nil { return true }
    var remaining = bearers[connection.index].ready
    while let channel = remaining.first(from: 0) {
      if hasCommand(channel) || hasFrame(channel) { return true }
      remaining.remove(channel)
    }
    return false
  }

  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none. The
  /// channels of a link take turns with a K-frame or a command each.
  public mutating func writePacket(
    for connection: borrowing Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    guard let handle = connection.handle else { return false }
    let link = connection.index
    let room = min(length, writer.freeCapacity &- ACLHeader.packetHeaderLength)
    // The longest command, a request for a channel, has 4 + 4 + 10 = 18 bytes with its headers, and
    // one for five channels 26. Each controller accepts at least 27: Vol 4, Part E, 7.8.2.
    guard
      room >= 26
        || room >= 18
          && firstChannel(at: link, where: { $0.isEnhanced && $0.isOpeningPending }) == nil
    else { return false }
    if Application.hasBearers { application.advance(to: now) }
    if bearers[link].unfinished != nil {
      writeContinuation(at: link, handle, room, to: &writer)
      return true
    }
    while let channel = bearers[link].ready.first(from: bearers[link].next) {
      // A frame that cannot be sent closes its channel, which takes a command.
      let isWritten =
        writeCommand(of: channel, handle, at: now, to: &writer)
        || writeFrame(of: channel, handle, room, to: &writer)
        || writeCommand(of: channel, handle, at: now, to: &writer)
      if isWritten {
        bearers[link].next = channel &+ 1 < channels ? channel &+ 1 : 0
        return true
      }
      bearers[link].ready.remove(channel)
    }
    pendingConnections.remove(link)
    return false
  }

  // MARK: K-frames

  private func hasFrame(_ channel: Int) -> Bool {
    guard entries[channel].isEstablished, entries[channel].credits > 0 else { return false }
    return entries[channel].isSendingSDU || application.nextSDULength(on: channel) != nil
  }

  /// Writes the first packet of the next K-frame, with at most `room` bytes of data; `false` if
  /// there is no frame, or no credit.
  private mutating func writeFrame(
    of channel: Int, _ handle: ConnectionHandle, _ room: Int, to writer: inout ByteWriter
  ) -> Bool {
    guard entries[channel].isEstablished, entries[channel].credits > 0 else { return false }
    if !entries[channel].isSendingSDU {
      guard let length = application.nextSDULength(on: channel) else { return false }
      guard entries[channel].beginSDU(length) else {
        disconnect(channel, with: .invalidSDU)
        return false
      }
    }
    let frame = entries[channel].nextFrame(limit: KFrame.longestPayload)
    let dataLength = min(room, L2CAPFrame.headerLength &+ frame.payloadLength)
    let start = writer.count
    ACLHeader(handle: handle, boundary: .firstNonFlushable).write(
      dataLength: dataLength, to: &writer)
    frame.writeHeader(to: &writer)
    let count = dataLength &- frame.headerLength
    guard writePart(of: channel, count, to: &writer) else {
      // Nothing of the frame has been sent yet.
      writer.truncate(to: start)
      disconnect(channel, with: .invalidSDU)
      return false
    }
    entries[channel].useCredit()
    let remaining = frame.payloadLength &+ L2CAPFrame.headerLength &- dataLength
    if remaining > 0 {
      bearers[entries[channel].link].unfinished = .init(channel: channel, remaining: remaining)
    }
    finishPart(of: channel, count)
    return true
  }

  /// Writes the next packet of a K-frame that needs several.
  private mutating func writeContinuation(
    at link: Int, _ handle: ConnectionHandle, _ room: Int, to writer: inout ByteWriter
  ) {
    guard let unfinished = bearers[link].unfinished else { return }
    let count = min(room, unfinished.remaining)
    ACLHeader(handle: handle, boundary: .continuing).write(dataLength: count, to: &writer)
    let remaining = unfinished.remaining &- count
    bearers[link].unfinished =
      remaining > 0 ? .init(channel: unfinished.channel, remaining: remaining) : nil
    guard let channel = unfinished.channel else {
      _ = writer.fill(count) { _ in }
      return
    }
    // The frame is completed even so; otherwise the peer would take the next frame for its rest.
    if !writePart(of: channel, count, to: &writer) { disconnect(channel, with: .invalidSDU) }
    finishPart(of: channel, count)
  }

  /// Writes the next `count` bytes of the SDU; false if the program wrote fewer.
  private mutating func writePart(of channel: Int, _ count: Int, to writer: inout ByteWriter)
    -> Bool
  {
    guard count > 0 else { return true }
    let offset = entries[channel].sentCount
    return writer.fill(count) { part in application.writeSDU(on: channel, from: offset, into: &part)
    }
  }

  private mutating func finishPart(of channel: Int, _ count: Int) {
    if entries[channel].send(count) { application.sent(on: channel) }
  }

  // MARK: Commands

  private func hasCommand(_ channel: Int) -> Bool {
    entries[channel].isConnectionRequestPending || entries[channel].isConnectionResponsePending
      || entries[channel].isDisconnectionRequestPending || creditsDue(on: channel) > 0
  }

  /// The credits that the peer should get now.
  func creditsDue(on channel: Int) -> UInt16 {
    guard entries[channel].isEstablished else { return 0 }
    return entries[channel].creditsDue(room: application.room(of: channel), mps: mps)
  }

  /// The credits that the peer gets with a new channel.
  private mutating func takeInitialCredits(of channel: Int) -> UInt16 {
    let credits = entries[channel].creditsDue(room: application.room(of: channel), mps: mps)
    entries[channel].give(credits)
    return credits
  }

  /// Writes the channel's pending command; `false` if there is none.
  private mutating func writeCommand(
    of channel: Int, _ handle: ConnectionHandle, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    if entries[channel].isEnhanced, entries[channel].isOpeningPending {
      return writeEnhancedCommand(of: channel, handle, at: now, to: &writer)
    } else if entries[channel].isConnectionRequestPending {
      entries[channel].isConnectionRequestPending = false
      let request = LECreditBasedConnectionRequest(
        spsm: entries[channel].spsm.rawValue, sourceCID: entries[channel].localCID,
        mtu: entries[channel].mtu.rawValue, mps: mps.rawValue,
        initialCredits: takeInitialCredits(of: channel))
      write(request, startRequest(of: channel, at: now), handle, to: &writer)
    } else if entries[channel].isConnectionResponsePending {
      entries[channel].isConnectionResponsePending = false
      let response = LECreditBasedConnectionResponse(
        destinationCID: entries[channel].localCID, mtu: entries[channel].mtu.rawValue,
        mps: mps.rawValue, initialCredits: takeInitialCredits(of: channel))
      write(response, entries[channel].identifier, handle, to: &writer)
    } else if entries[channel].isDisconnectionRequestPending {
      entries[channel].isDisconnectionRequestPending = false
      let request = DisconnectionRequest(
        destinationCID: entries[channel].remoteCID, sourceCID: entries[channel].localCID)
      write(request, startRequest(of: channel, at: now), handle, to: &writer)
    } else {
      let credits = creditsDue(on: channel)
      guard credits > 0 else { return false }
      entries[channel].give(credits)
      let indication = FlowControlCreditIndication(cid: entries[channel].localCID, credits: credits)
      write(indication, takeIdentifier(at: entries[channel].link), handle, to: &writer)
    }
    return true
  }

  /// Starts a request of the channel. Returns its identifier.
  private mutating func startRequest(of channel: Int, at now: Instant) -> UInt8 {
    let identifier = takeIdentifier(at: entries[channel].link)
    entries[channel].identifier = identifier
    startTimer(of: channel, at: now)
    return identifier
  }

  /// An identifier that no pending request on the link has. There are 254 for at most 64 requests.
  mutating func takeIdentifier(at link: Int) -> UInt8 {
    while true {
      let identifier = bearers[link].nextIdentifier()
      if firstChannel(at: link, where: { $0.awaits(identifier) }) == nil { return identifier }
    }
  }

  func write<PDU: SignallingPDU>(
    _ command: PDU, _ identifier: UInt8, _ handle: ConnectionHandle, to writer: inout ByteWriter
  ) {
    let length = command.dataLength &+ 4
    ACLHeader(handle: handle, boundary: .firstNonFlushable).write(
      dataLength: L2CAPFrame.headerLength &+ length, to: &writer)
    writer.write(UInt16(truncatingIfNeeded: length))
    writer.write(L2CAPChannel.leSignalling.rawValue)
    command.write(identifier: identifier, to: &writer)
  }
}
