// The signalling of channels: the peer's requests and responses.
//
// Core Specification, Vol 3, Part A, 4. Other and malformed commands are left to the host, which
// rejects requests and ignores the rest.
extension CreditBasedChannels where Application: ~Copyable {
  /// Takes a signalling command, and writes the response that is due at once.
  public mutating func receive(
    _ command: borrowing SignallingCommand, on connection: borrowing Connection,
    protection: LinkProtection, response: inout ByteWriter
  ) -> Bool {
    let link = connection.index
    let identifier = command.identifier
    guard identifier != 0, isOpen(link) else { return false }
    if let request = LECreditBasedConnectionRequest(command) {
      receive(request, identifier, at: link, protection: protection, response: &response)
      return true
    }
    if let answer = LECreditBasedConnectionResponse(command) {
      return receive(answer, identifier, at: link)
    }
    if let request = CreditBasedConnectionRequest(command) {
      receive(request, identifier, at: link, protection: protection, response: &response)
      return true
    }
    if let answer = CreditBasedConnectionResponse(command) {
      return receive(answer, identifier, at: link)
    }
    if let request = CreditBasedReconfigureRequest(command) {
      CreditBasedReconfigureResponse(result: reconfigure(request, at: link)).write(
        identifier: identifier, to: &response)
      return true
    }
    if let indication = FlowControlCreditIndication(command) {
      return receive(indication, at: link)
    }
    if let request = DisconnectionRequest(command) {
      return receive(request, identifier, at: link, response: &response)
    }
    if let answer = DisconnectionResponse(command) { return receive(answer, identifier, at: link) }
    return command.code == .commandReject && receiveReject(identifier, at: link)
  }

  /// Takes a request for a channel: 4.22.
  private mutating func receive(
    _ request: LECreditBasedConnectionRequest, _ identifier: UInt8, at link: Int,
    protection: LinkProtection, response: inout ByteWriter
  ) {
    // A repeated request gets no second response.
    let isRepeated = firstChannel(at: link) {
      $0.isConnectionResponsePending && $0.identifier == identifier
        && $0.remoteCID == request.sourceCID
    }
    guard isRepeated == nil else { return }
    do throws(ChannelError) {
      try accept(request, identifier, at: link, protection: protection)
    } catch {
      LECreditBasedConnectionResponse(error: error.result).write(
        identifier: identifier, to: &response)
    }
  }

  /// Opens the channel that the peer requests, or throws the reason for refusing it: 4.23.
  private mutating func accept(
    _ request: LECreditBasedConnectionRequest, _ identifier: UInt8, at link: Int,
    protection: LinkProtection
  ) throws(ChannelError) {
    guard let spsm = SPSM(request.spsm), let listener = application.listener(on: spsm, at: link),
      !listener.isEnhancedOnly
    else { throw ChannelError(.spsmNotSupported) }
    if let result = listener.error(for: protection) { throw ChannelError(result) }
    guard request.sourceCID.isDynamic else { throw ChannelError(.invalidSourceCID) }
    guard firstChannel(at: link, where: { $0.remoteCID == request.sourceCID }) == nil else {
      throw ChannelError(.sourceCIDAlreadyAllocated)
    }
    guard let peerMTU = ChannelMTU(request.mtu), let peerMPS = ChannelMPS(request.mps) else {
      throw ChannelError(.unacceptableParameters)
    }
    guard let channel = freeChannel(forPeerAt: link) else {
      throw ChannelError(.noResourcesAvailable)
    }
    insert(
      CreditBasedChannel(
        accepting: request, identifier: identifier, spsm: spsm, mtu: listener.mtu, peerMTU: peerMTU,
        peerMPS: peerMPS, localCID: takeCID(of: channel), link: link), at: channel)
    application.opened(channel, on: spsm, at: link, peerMTU: peerMTU.byteCount)
  }

  /// Takes the response to a request for a channel: 4.23.
  private mutating func receive(
    _ response: LECreditBasedConnectionResponse, _ identifier: UInt8, at link: Int
  ) -> Bool {
    guard
      let channel = firstChannel(
        at: link,
        where: { $0.state == .connecting && !$0.isEnhanced && $0.awaits(identifier) })
    else { return false }
    guard response.result == .success else {
      remove(channel, with: .refused(response.result))
      return true
    }
    connect(channel, response, at: link)
    return true
  }

  /// Opens a channel that this device has requested.
  mutating func connect(_ channel: Int, _ response: LECreditBasedConnectionResponse, at link: Int) {
    // The CID of another channel makes both channels unusable.
    let cid = response.destinationCID
    if cid.isDynamic, let other = firstChannel(at: link, where: { $0.remoteCID == cid }) {
      remove(other, with: .invalidResponse)
      remove(channel, with: .invalidResponse)
      return
    }
    let isValid = entries[channel].connect(response)
    findDeadline()
    guard isValid else {
      remove(channel, with: .invalidResponse)
      return
    }
    markReady(channel)
    if entries[channel].state == .open {
      let entry = entries[channel]
      application.opened(channel, on: entry.spsm, at: link, peerMTU: entry.peerMTU.byteCount)
    }
  }

  /// Takes credits from the peer: 4.24.
  private mutating func receive(_ indication: FlowControlCreditIndication, at link: Int) -> Bool {
    let cid = indication.cid
    guard let channel = firstChannel(at: link, where: { $0.remoteCID == cid }),
      entries[channel].isEstablished
    else { return false }
    // An indication of 0 credits is ignored: 10.1.
    if entries[channel].add(credits: indication.credits) {
      markReady(channel)
    } else {
      disconnect(channel, with: .tooManyCredits)
    }
    return true
  }

  /// Takes a request to close a channel: 4.6. It is ignored if its CIDs do not match.
  private mutating func receive(
    _ request: DisconnectionRequest, _ identifier: UInt8, at link: Int, response: inout ByteWriter
  ) -> Bool {
    guard let channel = channel(with: request.destinationCID, at: link),
      entries[channel].isEstablished || entries[channel].state == .disconnecting
    else { return false }
    guard entries[channel].remoteCID == request.sourceCID else { return true }
    DisconnectionResponse(destinationCID: request.destinationCID, sourceCID: request.sourceCID)
      .write(identifier: identifier, to: &response)
    remove(channel, with: .closedByPeer)
    return true
  }

  /// Takes the response to a request to close a channel: 4.7. It is ignored if its CIDs are not
  /// those of the request.
  private mutating func receive(
    _ response: DisconnectionResponse, _ identifier: UInt8, at link: Int
  ) -> Bool {
    guard let channel = channel(with: response.sourceCID, at: link),
      entries[channel].state == .disconnecting, entries[channel].awaits(identifier),
      entries[channel].remoteCID == response.destinationCID
    else { return false }
    remove(channel, with: .closed)
    return true
  }

  /// Takes a Command Reject, which ends the channels of the request: 4.1.
  private mutating func receiveReject(_ identifier: UInt8, at link: Int) -> Bool {
    var isTaken = false
    while let channel = firstChannel(at: link, where: { $0.awaits(identifier) }) {
      remove(channel, with: .rejected)
      isTaken = true
    }
    return isTaken
  }
}

/// Why a peer gets no channel.
struct ChannelError: Error {
  let result: LECreditBasedConnectionResult

  init(_ result: LECreditBasedConnectionResult) { self.result = result }
}
