import BluetoothHost

/// Two Bluetooth hosts on one controller, neither of which knows of the other: a central, which
/// begins links, and a peripheral, which is connected to.
///
/// A half takes part from `join` on, and begins with Reset, as every host does. While one half alone
/// takes part, its packets pass as they are. When both do:
/// - their commands go one at a time, and each gets the answers to its own, refusals too;
/// - each has the links of its role, and neither sees, or may end, those of the other; what is
///   heard of advertisers is for the first;
/// - the events of both are asked for, and the controller's buffers are divided;
/// - a Reset sets back what its sender has done, and not the controller: only when that has lost
///   its state, or leaves a command unanswered, it is reset, and both begin anew;
/// - the device has one random address: that which was set first.
///
/// Nothing that either half or the controller sends stops it.
public struct SharedController<
  First: RadioProgram & ~Copyable, Second: RadioProgram & ~Copyable
>: RadioProgram, ~Copyable {
  /// The host of the central.
  public var first: First
  /// The host of the peripheral.
  public var second: Second

  var halves = SharedHalves()
  var turn = CommandTurn()
  var links = SharedLinks()
  /// Whether there is a controller.
  private(set) var isRadioReady = false
  /// Whether the controller has been reset, and has kept its state since.
  var wasReset = false
  /// Whether the controller has left a command unanswered, and has answered none since.
  var isSuspect = false
  /// The random address that it has been given.
  var randomAddress: DeviceAddress?
  /// Who is asked first for a packet.
  var nextHalf = SharedHalf.first
  private var isEnding = false
  private var scratch = [UInt8](repeating: 0, count: Radio.longestPacket)

  /// Two programs, of which neither takes part yet.
  public init(_ first: consuming First, _ second: consuming Second) {
    self.first = first
    self.second = second
  }

  // MARK: Who takes part

  /// A half takes part from now on. If there is a controller, it is told that its radio is ready.
  public mutating func join(_ half: SharedHalf, at now: Instant) {
    guard !halves[half].isJoined else { return }
    halves[half].isJoined = true
    guard isRadioReady else { return }
    tellReady(half, at: now)
    if !turn.isFree { tellCredits(0, half, at: now) }
  }

  // MARK: The radio

  /// Both halves begin anew.
  public mutating func radioIsReady(at now: Instant) {
    forgetController()
    turn.reset()
    isRadioReady = true
    for half in joined { tellReady(half, at: now) }
  }

  /// Both halves have lost their radio.
  public mutating func radioIsLost(_ error: RadioError, at now: Instant) {
    forgetController()
    turn.reset()
    isRadioReady = false
    if halves[.first].isJoined { first.radioIsLost(error, at: now) }
    if halves[.second].isJoined { second.radioIsLost(error, at: now) }
  }

  /// A packet for one half, for both, or for the sharing itself.
  public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    switch HCIPacket(packet) {
    case .acl(let header, _):
      receiveData(packet, on: header.handle, at: now)
    case .event(let code, let parameters):
      receive(code, parameters, packet, at: now)
    case .command, nil:
      if let half = halves.sole { deliver(packet, to: half, at: now) }
    }
  }

  /// The next packet of whoever's turn it is.
  public mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    if writeOwed(into: &writer, at: now) { return true }
    var storage: [UInt8] = []
    swap(&storage, &scratch)
    defer { swap(&storage, &scratch) }
    for half in inTurn where halves[half].isJoined {
      // Each packet that is kept makes the half wait in the end: for an answer or for room.
      while mayAsk(half) {
        let count = take(from: half, into: &storage, limit: writer.freeCapacity, at: now)
        guard count > 0 else { break }
        if pass(storage.span.extracting(0..<count), from: half, into: &writer, at: now) {
          nextHalf = half.other
          return true
        }
      }
    }
    return false
  }

  // MARK: Time

  /// When one of those who take part wants to be called next.
  public var deadline: Instant? {
    mutating get {
      var earliest = turn.deadline
      if halves[.first].isJoined { earliest = .earlier(earliest, first.deadline) }
      if halves[.second].isJoined { earliest = .earlier(earliest, second.deadline) }
      return earliest
    }
  }

  /// The time is `now`.
  public mutating func advance(to now: Instant) {
    if turn.isExpired(at: now) { giveUpCommand(at: now) }
    if halves[.first].isJoined { first.advance(to: now) }
    if halves[.second].isJoined { second.advance(to: now) }
  }

  /// The packets that there were have been taken.
  public mutating func turnEnded() {
    if halves[.first].isJoined { first.turnEnded() }
    if halves[.second].isJoined { second.turnEnded() }
  }

  // MARK: The end

  /// Each half says goodbye to its peers.
  public mutating func shutDown(at now: Instant) {
    isEnding = true
    if halves[.first].isJoined { first.shutDown(at: now) }
    if halves[.second].isJoined { second.shutDown(at: now) }
  }

  /// Whether every half that takes part has ended.
  public var isFinished: Bool {
    mutating get {
      guard isEnding || halves[.first].isJoined || halves[.second].isJoined else { return false }
      return (!halves[.first].isJoined || first.isFinished)
        && (!halves[.second].isJoined || second.isFinished)
    }
  }
}

// What is done to whichever half.
extension SharedController where First: ~Copyable, Second: ~Copyable {
  var isShared: Bool { halves.areBothJoined }

  var joined: SharedHalfOrder { halves.joined }

  var inTurn: SharedHalfOrder { SharedHalfOrder(nextHalf, nextHalf.other) }

  mutating func deliver(_ packet: Span<UInt8>, to half: SharedHalf, at now: Instant) {
    guard halves[half].isJoined else { return }
    switch half {
    case .first: first.receive(packet, at: now)
    case .second: second.receive(packet, at: now)
    }
  }

  /// Delivers what `write` writes.
  mutating func deliver(
    to half: SharedHalf, at now: Instant, _ write: (inout ByteWriter) -> Void
  ) {
    // An event: 3 bytes of header and up to 255 of parameters.
    var bytes = InlineArray<258, UInt8>(repeating: 0)
    var writer = ByteWriter(bytes.mutableSpan)
    write(&writer)
    let count = writer.count
    deliver(bytes.span.extracting(0..<count), to: half, at: now)
  }

  /// Tells a half how many commands it may send.
  mutating func tellCredits(_ credits: UInt8, _ half: SharedHalf, at now: Instant) {
    deliver(to: half, at: now) { writer in
      CommandComplete(commandCredits: credits, opcode: .none, returnParameters: Span())
        .writePacket(to: &writer)
    }
  }

  private mutating func tellReady(_ half: SharedHalf, at now: Instant) {
    switch half {
    case .first: first.radioIsReady(at: now)
    case .second: second.radioIsReady(at: now)
    }
  }

  /// Writes the next packet of a half to `storage`; gives its length, or 0.
  private mutating func take(
    from half: SharedHalf, into storage: inout [UInt8], limit: Int, at now: Instant
  ) -> Int {
    var writer = ByteWriter(storage.mutableSpan, limit: limit)
    let isWritten =
      switch half {
      case .first: first.nextPacket(into: &writer, at: now)
      case .second: second.nextPacket(into: &writer, at: now)
      }
    return isWritten && !writer.hasOverflowed ? writer.count : 0
  }

  /// Whether a half may be asked for a packet: there is room to keep it.
  private func mayAsk(_ half: SharedHalf) -> Bool {
    halves[half].heldCommand.isEmpty && halves[half].backlog.count <= links.bufferCount
  }
}
