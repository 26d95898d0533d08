// Data of the links: incoming frames, and outgoing packets when the controller has room.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Takes an ACL packet, and handles the frame that it completes.
  @inline(__always) mutating func receive(_ header: ACLHeader, _ data: Span<UInt8>, at now: Instant)
  {
    guard let index = table.index(of: header.handle) else {
      receiveEarly(header, data, at: now)
      return
    }
    nextIndex = index
    connections[index].hasReceivedData = true
    pending.insert(index)
    let startsFrame = header.boundary != .continuing
    var concernsSecurity = false
    reassemblers[index].receive(data, startsFrame: startsFrame) { frame in
      switch frame.channel {
      case .att:
        if Server.isPresent, !Client.isPresent || frame.payload.isForServer {
          if Channels.hasBearers {
            Self.receive(frame.payload, on: &connections[index], &serverRole, &channelRole)
          } else {
            serverRole.receive(frame.payload, on: &connections[index])
          }
          if Security.isPresent { securityRole.noteActivity(of: ConnectionSet(index)) }
          // One client's PDU may cause the application to send something to others.
          blocked = .none
        } else if Client.isPresent, frame.payload.isFromServer {
          if !Security.isPresent || !securityRole.requiresEncryption(at: index) {
            clientRole.receive(frame.payload, on: &connections[index])
          } else if frame.payload[0] == ATTOpcode.handleValueIndication.rawValue {
            connections[index].confirmIndication()
          }
        } else {
          connections[index].refuse(frame.payload)
        }
      case .leSignalling:
        if Channels.isPresent,
          connections[index].receiveSignal(
            frame.payload, &channelRole,
            protection: LinkProtection(securityRole.security(at: index)))
        {
          break
        }
        if connections[index].receiveSignal(frame.payload) { controller.mayHaveCommands = true }
      case .securityManager:
        if Security.isPresent {
          securityRole.receive(frame.payload, at: index, at: now)
          concernsSecurity = true
        } else {
          connections[index].receivePairing(frame.payload)
        }
      default:
        guard Channels.isPresent else { break }
        channelRole.receive(frame.payload, to: frame.channel, on: connections[index])
      }
    }
    if Channels.isPresent,
      let channel = reassemblers[index].takeOverlong(data, startsFrame: startsFrame)
    {
      channelRole.receiveOverlong(to: channel, on: connections[index])
    }
    if Channels.hasBearers { serveBearers() }
    noteTimers(of: index)
    if Security.isPresent, concernsSecurity { noteSecurity(at: index) }
  }

  /// The timers of the connection at `index` may have changed.
  @inline(__always) mutating func noteTimers(of index: Int) {
    if connections[index].timers.haveChanged { noteChangedTimers(of: index) }
  }

  @inline(never) private mutating func noteChangedTimers(of index: Int) {
    connections[index].timers.haveChanged = false
    if connections[index].disconnectReason != nil { controller.mayHaveCommands = true }
    deadlines.set(connections[index].timers.earliest, at: index)
  }

  /// The connections that may have something to send.
  @inline(__always) var sendable: ConnectionSet {
    var sendable = pending
    if Channels.isPresent { sendable = sendable.union(channelRole.pendingConnections) }
    guard Server.isPresent else { return sendable }
    return sendable.union(serverRole.pendingConnections.subtracting(blocked)).intersection(
      table.open)
  }

  /// Writes the next ACL packet; `false` if no link has one, or the controller has no room for it.
  @inline(__always) mutating func nextACLPacket(into writer: inout ByteWriter, at now: Instant)
    -> Bool
  {
    let free = controller.aclPacketCount &- controller.inFlight
    guard free > 0 else {
      waitForBuffers(at: now)
      return false
    }
    var remaining = sendable
    while let index = remaining.first(from: nextIndex) {
      remaining.remove(index)
      let isFirst = connections[index].inFlight == 0
      guard isFirst || free > reservedBuffers else {
        waitForShare(index, at: now)
        continue
      }
      guard writePacket(of: index, into: &writer, at: now) else {
        pending.remove(index)
        blocked.insert(index)
        continue
      }
      controller.inFlight &+= 1
      connections[index].inFlight &+= 1
      if isFirst { controller.sendingLinks &+= 1 }
      if Client.isPresent || Channels.isPresent { pending.insert(index) }
      // After the last index, the set begins again at the first.
      nextIndex = index &+ 1
      return true
    }
    return false
  }

  /// Writes the next ACL packet of the link at `index`; `false` if it has none.
  @inline(__always) private mutating func writePacket(
    of index: Int, into writer: inout ByteWriter, at now: Instant
  ) -> Bool {
    let length = controller.aclPacketLength
    defer { noteTimers(of: index) }
    guard Channels.isPresent else {
      return writeFixedChannelPacket(of: index, length: length, into: &writer, at: now)
    }
    return writePacketInTurn(of: index, length: length, into: &writer, at: now)
  }

  /// Writes the next packet of a link that also has credit-based channels. It finishes a frame in
  /// progress first; then K-frames and frames of the fixed channels alternate.
  private mutating func writePacketInTurn(
    of index: Int, length: Int, into writer: inout ByteWriter, at now: Instant
  ) -> Bool {
    if channelRole.isSending(on: connections[index]) {
      return channelRole.writePacket(for: connections[index], length: length, at: now, to: &writer)
    }
    let mayStart = connections[index].sending == .nothing && connections[index].control.isEmpty
    let isChannelFirst = mayStart && !connections[index].lastWasChannel
    connections[index].lastWasChannel = isChannelFirst
    if isChannelFirst,
      channelRole.writePacket(for: connections[index], length: length, at: now, to: &writer)
    {
      return true
    }
    connections[index].lastWasChannel = false
    if writeFixedChannelPacket(of: index, length: length, into: &writer, at: now) { return true }
    guard mayStart, !isChannelFirst,
      channelRole.writePacket(for: connections[index], length: length, at: now, to: &writer)
    else { return false }
    connections[index].lastWasChannel = true
    return true
  }

  /// Writes the next packet of the fixed channels of a link; `false` if they have none.
  @inline(__always) private mutating func writeFixedChannelPacket(
    of index: Int, length: Int, into writer: inout ByteWriter, at now: Instant
  ) -> Bool {
    let isFirst = connections[index].sending == .nothing
    if isFirst, !connections[index].control.isEmpty {
      return connections[index].writeControl(to: &writer)
    }
    if Security.isPresent, pendingSecurity.contains(index),
      isFirst || connections[index].sending == .security,
      securityRole.writePacket(for: &connections[index], length: length, at: now, to: &writer)
    {
      noteSecurity(at: index)
      return true
    }
    guard Client.isPresent else {
      guard Server.isPresent,
        serverRole.writePacket(for: &connections[index], length: length, at: now, to: &writer)
      else { return false }
      // A server's frame that began and ended here was the last: the other channels and a response come
      // first, and the server reports its updates itself. So the loop need not ask again.
      if isFirst, connections[index].sending == .nothing {
        pending.remove(index)
      } else {
        pending.insert(index)
      }
      return true
    }
    return writeSharedPacket(of: index, length: length, into: &writer, at: now)
  }

  /// Writes the next packet of a link with both roles. It finishes a PDU in progress first; then
  /// the roles alternate.
  private mutating func writeSharedPacket(
    of index: Int, length: Int, into writer: inout ByteWriter, at now: Instant
  ) -> Bool {
    let sending = connections[index].sending
    let isServerFirst =
      sending == .nothing ? connections[index].lastSender == .client : sending == .server
    for turn in 0..<2 {
      let isServer = (turn == 0) == isServerFirst
      if turn == 1, sending != .nothing { return false }
      let isWritten =
        isServer
        ? Server.isPresent
          && serverRole.writePacket(for: &connections[index], length: length, at: now, to: &writer)
        : (sending == .client || !requiresEncryption(index))
          && clientRole.writePacket(for: &connections[index], length: length, at: now, to: &writer)
      if isWritten {
        connections[index].lastSender = isServer ? .server : .client
        return true
      }
    }
    return false
  }
}

extension Span<UInt8> {
  /// Whether servers send this ATT PDU. Their opcodes are odd, those of clients even: Core
  /// Specification, Vol 3, Part F, 3.4.8.
  @inline(__always) var isFromServer: Bool { !isEmpty && self[0] & 1 == 1 }

  /// Whether the server takes this ATT PDU: that of a client, or an unknown one, which may be a
  /// request and is refused.
  @inline(__always) var isForServer: Bool {
    !isFromServer || ATTOpcode(rawValue: self[0]).isAnswered
  }
}

// Which link may use the controller's data buffers.
//
// A central that does not acknowledge its packets keeps their buffers occupied. To keep serving the
// others, a link that has a buffer gets another only while one remains for each link without a
// buffer, and one for a new link. Each link with stalled packets has its own timer.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// How many free buffers are reserved for links that have none.
  var reservedBuffers: Int {
    table.count &- controller.sendingLinks &+ (table.count < links ? 1 : 0)
  }

  /// The link at `index` has used its share of buffers: starts its timer if it has more to send.
  @inline(never) mutating func waitForShare(_ index: Int, at now: Instant) {
    guard connections[index].timers[.stall] == nil, hasPacket(at: index) else { return }
    startClock(of: index, at: now)
  }

  /// Whether the link at `index` may have a packet to send, without preparing one.
  private func hasPacket(at index: Int) -> Bool {
    if connections[index].sending != .nothing || !connections[index].control.isEmpty { return true }
    if Channels.isPresent, channelRole.hasPacket(for: connections[index]) { return true }
    if Server.isPresent, serverRole.hasPacket(for: connections[index]) { return true }
    return Client.isPresent && clientRole.hasPacket(for: connections[index])
  }

  /// All buffers are in use: starts the timer of each link that has some.
  @inline(never) mutating func waitForBuffers(at now: Instant) {
    for index in 0..<links
    where connections[index].inFlight > 0 && connections[index].timers[.stall] == nil {
      startClock(of: index, at: now)
    }
  }

  /// The time limit is the link's supervision timeout plus that for commands.
  private mutating func startClock(of index: Int, at now: Instant) {
    connections[index].timers[.stall] = now.advanced(
      by: connections[index].supervisionTimeout + CommandFlow.timeout)
    noteTimers(of: index)
  }

  /// Takes a Number Of Completed Packets event: Core Specification, Vol 4, Part E, 7.7.19.
  mutating func receiveCompletedPackets(_ parameters: Span<UInt8>) {
    guard var completed = NumberOfCompletedPackets(parameters: parameters) else { return }
    while let (handle, count) = completed.next() {
      guard let index = table.index(of: handle) else { continue }
      freeBuffers(Int(count), of: index)
    }
  }

  /// Releases up to `count` buffers of the link at `index`.
  mutating func freeBuffers(_ count: Int, of index: Int) {
    let freed = min(count, connections[index].inFlight)
    guard freed > 0 else { return }
    connections[index].inFlight -= freed
    connections[index].timers[.stall] = nil
    noteTimers(of: index)
    controller.inFlight -= freed
    if connections[index].inFlight == 0 { controller.sendingLinks -= 1 }
  }
}
