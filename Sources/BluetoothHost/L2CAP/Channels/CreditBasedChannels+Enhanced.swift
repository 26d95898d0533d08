// Requests for several channels at once: Core Specification, Vol 3, Part A, 4.25 to 4.28 and 10.2.
//
// Enhanced channels are channels like the others. They open together, accept at least 64 bytes, and
// the peer may later accept longer SDUs on them.
extension CreditBasedChannels where Application: ~Copyable {
  // MARK: The peer's requests

  /// Takes a request for channels: 4.25. If some open, the response waits for the program's room.
  mutating func receive(
    _ request: CreditBasedConnectionRequest, _ identifier: UInt8, at link: Int,
    protection: LinkProtection, response: inout ByteWriter
  ) {
    // A repeated request gets no second response.
    guard firstChannel(at: link, where: { $0.answersRequest(identifier) }) == nil else { return }
    var result = LECreditBasedConnectionResult.success
    for position in 0..<request.sourceCIDs.count {
      do throws(ChannelError) {
        try accept(position, of: request, identifier, at: link, protection: protection)
      } catch {
        // The first reason counts.
        if result == .success { result = error.result }
      }
    }
    var accepted = channelSet(at: link, where: { $0.answersRequest(identifier) })
    guard !accepted.isEmpty else {
      CreditBasedConnectionResponse(error: result, count: request.sourceCIDs.count).write(
        identifier: identifier, to: &response)
      return
    }
    while let channel = accepted.first(from: 0) {
      accepted.remove(channel)
      entries[channel].request.result = UInt8(truncatingIfNeeded: result.rawValue)
    }
  }

  /// Opens the channel at `position` of the request, or throws the reason for refusing it: 4.26.
  private mutating func accept(
    _ position: Int, of request: CreditBasedConnectionRequest, _ identifier: UInt8, at link: Int,
    protection: LinkProtection
  ) throws(ChannelError) {
    guard let spsm = SPSM(request.spsm), let listener = application.listener(on: spsm, at: link),
      listener.mtu.isEnhanced, mps.isEnhanced
    else { throw ChannelError(.spsmNotSupported) }
    if let result = listener.error(for: protection) { throw ChannelError(result) }
    guard let peerMTU = ChannelMTU(request.mtu), peerMTU.isEnhanced,
      let peerMPS = ChannelMPS(request.mps), peerMPS.isEnhanced, request.initialCredits > 0
    else { throw ChannelError(.unacceptableParameters) }
    let cid = request.sourceCIDs[position]
    guard cid.isDynamic else { throw ChannelError(.invalidSourceCID) }
    guard !request.sourceCIDs.isRepeated(position),
      firstChannel(at: link, where: { $0.remoteCID == cid }) == nil
    else { throw ChannelError(.sourceCIDAlreadyAllocated) }
    guard let channel = freeChannel(forPeerAt: link) else {
      throw ChannelError(.noResourcesAvailable)
    }
    insert(
      CreditBasedChannel(
        accepting: position, of: request, identifier: identifier, spsm: spsm, mtu: listener.mtu,
        peerMTU: peerMTU, peerMPS: peerMPS, localCID: takeCID(of: channel), link: link),
      at: channel)
    application.opened(channel, on: spsm, at: link, peerMTU: peerMTU.byteCount)
  }

  /// Changes what the peer accepts on channels: 4.27. All of them change, or none.
  mutating func reconfigure(_ request: CreditBasedReconfigureRequest, at link: Int)
    -> CreditBasedReconfigureResult
  {
    guard let mtu = ChannelMTU(request.mtu), mtu.isEnhanced, let mps = ChannelMPS(request.mps),
      mps.isEnhanced
    else { return .unacceptableParameters }
    let cids = request.destinationCIDs
    var changed = ConnectionSet.none
    for position in 0..<cids.count {
      let cid = cids[position]
      guard cid.isDynamic, !cids.isRepeated(position),
        let channel = firstChannel(
          at: link, where: { $0.isEnhanced && $0.isEstablished && $0.remoteCID == cid })
      else { return .invalidDestinationCID }
      changed.insert(channel)
      if mtu.rawValue < entries[channel].peerMTU.rawValue { return .mtuReduction }
      if mps.rawValue < entries[channel].peerMPS.rawValue, cids.count > 1 { return .mpsReduction }
    }
    while let channel = changed.first(from: 0) {
      changed.remove(channel)
      entries[channel].reconfigure(peerMTU: mtu, peerMPS: mps)
      application.reconfigured(channel, peerMTU: mtu.byteCount)
      markReady(channel)
    }
    return .success
  }

  // MARK: The peer's responses

  /// Takes the response to a request for channels: 4.26.
  mutating func receive(
    _ response: CreditBasedConnectionResponse, _ identifier: UInt8, at link: Int
  ) -> Bool {
    var requested = channelSet(
      at: link, where: { $0.state == .connecting && $0.isEnhanced && $0.awaits(identifier) })
    guard !requested.isEmpty else { return false }
    var position = 0
    // The request named them in this order.
    while let channel = requested.first(from: 0) {
      requested.remove(channel)
      defer { position &+= 1 }
      // A CID that came twice may have ended a later channel.
      guard entries[channel].state == .connecting else { continue }
      if response.result.isPending {
        entries[channel].waitLonger()
        continue
      }
      let cid = response.destinationCIDs[position]
      guard response.result == .success || response.result.concernsSome && cid.rawValue != 0 else {
        remove(channel, with: .refused(response.result))
        continue
      }
      connect(
        channel,
        LECreditBasedConnectionResponse(
          destinationCID: cid, mtu: response.mtu, mps: response.mps,
          initialCredits: response.initialCredits), at: link)
    }
    findDeadline()
    return true
  }

  // MARK: Commands

  /// Writes the request for a channel and the others of its group, or the response to the peer's
  /// request; `false` while the program has no room for a K-frame on one of them, since each gets
  /// at least one credit: 4.25 and 4.26.
  mutating func writeEnhancedCommand(
    of channel: Int, _ handle: ConnectionHandle, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    let entry = entries[channel]
    let link = entry.link
    let isRequest = entry.isConnectionRequestPending
    let members = channelSet(at: link) { other in
      guard other.isEnhanced else { return false }
      return isRequest
        ? other.isConnectionRequestPending && other.request.group == entry.request.group
        : other.answersRequest(entry.identifier)
    }
    guard let credits = takeInitialCredits(of: members) else { return false }
    var cids = ChannelList()
    if !isRequest {
      for _ in 0..<entry.request.count { cids.append(L2CAPChannel(rawValue: 0)) }
    }
    let identifier = isRequest ? takeIdentifier(at: link) : entry.identifier
    var remaining = members
    while let member = remaining.first(from: 0) {
      remaining.remove(member)
      markReady(member)
      if isRequest {
        entries[member].isConnectionRequestPending = false
        entries[member].identifier = identifier
        startTimer(of: member, at: now)
        cids.append(entries[member].localCID)
      } else {
        entries[member].isConnectionResponsePending = false
        cids[Int(entries[member].request.position)] = entries[member].localCID
      }
    }
    if isRequest {
      let request = CreditBasedConnectionRequest(
        spsm: entry.spsm.rawValue, mtu: entry.mtu.rawValue, mps: mps.rawValue,
        initialCredits: credits, sourceCIDs: cids)
      write(request, identifier, handle, to: &writer)
    } else {
      let response = CreditBasedConnectionResponse(
        mtu: entry.mtu.rawValue, mps: mps.rawValue, initialCredits: credits,
        result: LECreditBasedConnectionResult(rawValue: UInt16(entry.request.result)),
        destinationCIDs: cids)
      write(response, identifier, handle, to: &writer)
    }
    return true
  }

  /// The credits that the peer gets on each of these channels; `nil` if one of them has no room.
  /// One that the program has closed meanwhile needs none.
  private mutating func takeInitialCredits(of members: ConnectionSet) -> UInt16? {
    var credits: UInt16?
    var remaining = members
    while let member = remaining.first(from: 0) {
      remaining.remove(member)
      guard entries[member].end == nil else { continue }
      let due = entries[member].creditsDue(room: application.room(of: member), mps: mps)
      guard due > 0 else { return nil }
      credits = min(credits ?? .max, due)
    }
    remaining = members
    while let member = remaining.first(from: 0) {
      remaining.remove(member)
      entries[member].give(credits ?? 1)
    }
    return credits ?? 1
  }
}
