import BluetoothHost

// What the controller tells.
extension SharedController where First: ~Copyable, Second: ~Copyable {
  mutating func receive(
    _ code: HCIEventCode, _ parameters: Span<UInt8>, _ packet: Span<UInt8>, at now: Instant
  ) {
    switch code {
    case .commandComplete:
      guard let event = CommandComplete(parameters: parameters) else { return }
      answered(
        event.opcode, event.commandCredits, ByteReader(event.returnParameters), packet, at: now)
    case .commandStatus:
      guard let event = CommandStatus(parameters: parameters) else { return }
      taken(event, packet, at: now)
    case .numberOfCompletedPackets:
      receiveCompletedPackets(parameters, packet, at: now)
    case .hardwareError:
      // A byte that is missing is no reason to go on with a controller that has failed.
      forgetController()
      turn.reset()
      for half in joined { deliver(packet, to: half, at: now) }
    case .disconnectionComplete:
      disconnected(parameters, packet, at: now)
    case .leMeta:
      var reader = ByteReader(parameters)
      let subevent = LEMetaSubevent(rawValue: reader.readUInt8() ?? 0)
      if subevent == .connectionComplete || subevent == .enhancedConnectionComplete,
        let event = LEConnectionComplete(
          &reader, enhanced: subevent == .enhancedConnectionComplete)
      {
        connected(event, packet, at: now)
      } else {
        deliver(packet, about: EventSubject(code, parameters), at: now)
      }
    default:
      deliver(packet, about: EventSubject(code, parameters), at: now)
    }
  }

  /// Delivers an event to whom it concerns.
  private mutating func deliver(
    _ packet: Span<UInt8>, about subject: EventSubject, at now: Instant
  ) {
    switch subject {
    case .link(let handle):
      if let link = links[handle] {
        if let half = link.half { deliver(packet, to: half, at: now) }
        return
      }
    case .scanning where isShared:
      return deliverIfUp(packet, to: .first, at: now)
    case .advertising where isShared:
      return deliverIfUp(packet, to: .second, at: now)
    case .scanning, .advertising, .everything:
      break
    }
    for half in joined { deliverIfUp(packet, to: half, at: now) }
  }

  /// Delivers an event that a half which shares the controller would not understand before it has
  /// been reset.
  private mutating func deliverIfUp(
    _ packet: Span<UInt8>, to half: SharedHalf, at now: Instant
  ) {
    if !isShared || halves[half].isUp { deliver(packet, to: half, at: now) }
  }

  // MARK: Links

  private mutating func connected(
    _ event: LEConnectionComplete, _ packet: Span<UInt8>, at now: Instant
  ) {
    guard event.status == .success else { return notConnected(event, packet, at: now) }
    if let old = links[event.handle] { endWasLost(of: old, at: now) }
    let role = event.role == .peripheral ? SharedHalf.second : .first
    if role == .second {
      // It came of the advertising, which ended with that.
      halves[.first].mayAdvertise = false
      halves[.second].mayAdvertise = false
    } else {
      halves[.first].isConnecting = false
      halves[.second].isConnecting = false
    }
    let half = halves.sole ?? role
    guard halves[half].isJoined, !isShared || halves[half].isUp else {
      // Whoever wanted it has gone.
      return links.add(event.handle, of: nil)
    }
    links.add(event.handle, of: half)
    deliver(packet, to: half, at: now)
  }

  /// The controller gave up connecting, or advertising at one device. Only the status tells
  /// anything then.
  private mutating func notConnected(
    _ event: LEConnectionComplete, _ packet: Span<UInt8>, at now: Instant
  ) {
    guard isShared else { return deliver(packet, about: .everything, at: now) }
    let isOfPeripheral =
      event.status == .advertisingTimeout
      || (event.role == .peripheral && !halves[.first].isConnecting)
    if isOfPeripheral {
      halves[.second].mayAdvertise = false
    } else {
      halves[.first].isConnecting = false
    }
    deliverIfUp(packet, to: isOfPeripheral ? .second : .first, at: now)
  }

  /// The number of a link is in use again: its end was not told.
  private mutating func endWasLost(of link: SharedLinks.Link, at now: Instant) {
    remove(link)
    guard let half = link.half, isShared else { return }
    let end = DisconnectionComplete(
      status: .success, handle: link.handle, reason: .unspecifiedError)
    deliver(to: half, at: now) { end.writePacket(to: &$0) }
  }

  private mutating func disconnected(
    _ parameters: Span<UInt8>, _ packet: Span<UInt8>, at now: Instant
  ) {
    deliver(packet, about: EventSubject(.disconnectionComplete, parameters), at: now)
    guard let event = DisconnectionComplete(parameters: parameters), event.status == .success,
      let link = links[event.handle]
    else { return }
    remove(link)
  }

  private mutating func remove(_ link: SharedLinks.Link) {
    links.remove(link.handle)
    if let half = link.half { halves[half].backlog.removeAll(on: link.handle) }
  }

  // MARK: Answers

  private mutating func taken(
    _ event: CommandStatus, _ packet: Span<UInt8>, at now: Instant
  ) {
    if event.status == .success, let outstanding = turn.outstanding, let half = outstanding.half,
      outstanding.opcode == event.opcode
    {
      // Some controllers complete it as well.
      halves[half].late = event.opcode
    }
    // A status is all that there is: as with Command Complete, the first byte returned.
    let returned: InlineArray<1, UInt8> = [event.status.rawValue]
    answered(
      event.opcode, event.commandCredits, ByteReader(returned.span), packet, at: now)
  }

  private mutating func answered(
    _ opcode: HCIOpcode, _ credits: UInt8, _ returned: consuming ByteReader,
    _ packet: Span<UInt8>, at now: Instant
  ) {
    guard let command = turn.answer(opcode, credits: credits, at: now) else {
      return answeredUnasked(opcode, packet, at: now)
    }
    isSuspect = false
    let status = HCIErrorCode(rawValue: returned.readUInt8() ?? 0)
    note(status, of: command)
    if let half = command.half {
      if !deliverShare(opcode, status, credits, returned, to: half, at: now) {
        deliver(packet, to: half, at: now)
      }
    }
    for half in joined where half != command.half {
      tellCredits(min(credits, 1), half, at: now)
    }
  }

  /// Nobody waits for this answer; or nobody any longer.
  private mutating func answeredUnasked(
    _ opcode: HCIOpcode, _ packet: Span<UInt8>, at now: Instant
  ) {
    if let half = halves.sole { return deliver(packet, to: half, at: now) }
    if opcode == .none {
      // The half whose command is under way does not count it as answered.
      for half in joined where turn.outstanding == nil || turn.outstanding?.half == half {
        deliver(packet, to: half, at: now)
      }
      return
    }
    for half in joined where halves[half].late == opcode {
      halves[half].late = nil
      deliver(packet, to: half, at: now)
    }
    if turn.isFree {
      for half in joined { tellCredits(1, half, at: now) }
    }
  }

  /// Learns from the answer to a command.
  private mutating func note(_ status: HCIErrorCode, of command: CommandTurn.Command) {
    switch command.opcode {
    case .reset:
      wasReset = status == .success
      if let half = command.half { halves[half].isUp = wasReset }
    case .leSetRandomAddress where status != .success:
      randomAddress = nil
    case .leCreateConnection where status != .success:
      if let half = command.half { halves[half].isConnecting = false }
    case _ where status == .unknownConnectionIdentifier:
      // The link's end was not told.
      if let handle = command.handle, let link = links[handle] { remove(link) }
    default:
      break
    }
  }

  /// Learns what buffers there are; where they are shared, tells a half of its part, and gives
  /// `true`.
  private mutating func deliverShare(
    _ opcode: HCIOpcode, _ status: HCIErrorCode, _ credits: UInt8,
    _ returned: borrowing ByteReader, to half: SharedHalf, at now: Instant
  ) -> Bool {
    guard status == .success, var buffers = BufferSize(opcode, copy returned), buffers.count > 0
    else { return false }
    links.bufferCount = buffers.count
    guard isShared else { return false }
    buffers.count = SharedLinks.share(of: buffers.count, for: half)
    var bytes = InlineArray<16, UInt8>(repeating: 0)
    var writer = ByteWriter(bytes.mutableSpan)
    buffers.write(to: &writer)
    let count = writer.count
    deliver(to: half, at: now) {
      CommandComplete(
        commandCredits: credits, opcode: opcode,
        returnParameters: bytes.span.extracting(0..<count)
      ).writePacket(to: &$0)
    }
    return true
  }

  // MARK: Time

  /// The controller has not answered, or given no credit, in time.
  mutating func giveUpCommand(at now: Instant) {
    if let command = turn.outstanding { giveUp(command) }
    let patient = turn.outstanding?.half
    turn.reset()
    // The one that sent it has waited as long, and knows.
    for half in joined where half != patient { tellCredits(1, half, at: now) }
  }

  mutating func giveUp(_ command: CommandTurn.Command) {
    isSuspect = true
    if let half = command.half { halves[half].late = command.opcode }
  }
}
