import BluetoothHost
import LinuxRadio

/// A program that finds a peripheral, connects to it and uses its attributes over one link. What
/// all of them share is here: the search, the protection of the link, and the end.
protocol CentralProgram: RadioTask, ~Copyable {
  /// The host, and how far the program is.
  var session: CentralSession { get set }

  /// Whether `device` is one to connect to.
  func accepts(_ device: NearbyDevice) -> Bool
  /// The link is open: the first operation comes next.
  mutating func linkOpened(at now: Instant)
  /// The link has ended, or is about to: nothing on it goes on.
  mutating func linkClosed(at now: Instant)
  /// The link is free: begins the next operation, if any.
  mutating func perform(at now: Instant)
  /// The operation under way has ended.
  mutating func ended(_ error: OperationError?, at now: Instant)
  /// The peripheral has sent a value.
  mutating func notified(_ handle: AttributeHandle, _ value: [UInt8], at now: Instant)
  /// The channel has changed.
  mutating func channelChanged(_ event: ChannelEvent, at now: Instant)
  /// An enhanced bearer has opened.
  mutating func bearerOpened(_ bearer: Int, mtu: ATTMTU, at now: Instant)
  /// An enhanced bearer has closed, or did not open.
  mutating func bearerClosed(_ bearer: Int, at now: Instant)
  /// The operation on an enhanced bearer has ended.
  mutating func ended(_ error: OperationError?, on bearer: Int, at now: Instant)
  /// The signal strength was read; `nil` if the controller does not know it.
  mutating func readRSSI(_ rssi: Int8?, at now: Instant)
  /// The link has another subrate.
  mutating func subrateChanged(_ subrate: LESubrateChange, at now: Instant)
  /// The link keeps its subrate, for this reason.
  mutating func subrateFailed(_ reason: HCIErrorCode, at now: Instant)
  /// The link is protected, and the request can be repeated; or it is not, for this reason.
  mutating func protected(_ error: OperationError?, at now: Instant)
  /// A pairing has ended.
  mutating func pairingEnded(_ outcome: PairingOutcome, at now: Instant)
  /// Whether a question or a command is under way.
  var isWorking: Bool { get }
  /// The program's own times.
  var workDeadline: Instant? { get }
  /// Ends what has taken too long of the program's own.
  mutating func expireWork(at now: Instant)
  /// Whether it waits for a line that answers no prompt.
  var wantsLine: Bool { get }
  /// Takes a line of standard input, or its end.
  mutating func takeLine(_ line: [UInt8]?, at now: Instant)
  /// What has to be done on the link before it ends with `outcome`: how long it may take, in
  /// milliseconds; `nil` for nothing.
  mutating func lastWork(before outcome: CentralOutcome) -> UInt32?
}

extension CentralProgram where Self: ~Copyable {
  /// The outcome; `nil` until then.
  var outcome: CentralOutcome? { session.outcome }

  mutating func channelChanged(_ event: ChannelEvent, at now: Instant) {}
  mutating func bearerOpened(_ bearer: Int, mtu: ATTMTU, at now: Instant) {}
  mutating func bearerClosed(_ bearer: Int, at now: Instant) {}
  mutating func ended(_ error: OperationError?, on bearer: Int, at now: Instant) {}
  mutating func readRSSI(_ rssi: Int8?, at now: Instant) {}
  mutating func subrateChanged(_ subrate: LESubrateChange, at now: Instant) {}
  mutating func subrateFailed(_ reason: HCIErrorCode, at now: Instant) {}
  mutating func pairingEnded(_ outcome: PairingOutcome, at now: Instant) {}
  mutating func lastWork(before outcome: CentralOutcome) -> UInt32? { nil }

  // MARK: RadioTask

  mutating func radioIsReady(at now: Instant) {
    session.host.start(at: now)
    handleEvents(at: now)
  }

  mutating func radioFailed(_ error: RadioError, at now: Instant) {
    session.host.radioLost()
    finish(.radioFailed(error), at: now)
    handleEvents(at: now)
  }

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    session.host.receive(packet, at: now)
    handleEvents(at: now)
  }

  var mayHavePacket: Bool { session.host.mayHavePacket }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    session.host.nextPacket(into: &writer, at: now)
  }

  mutating func advance(to now: Instant) {
    session.host.advance(to: now)
    handleEvents(at: now)
    if outcome == nil {
      expireWork(at: now)
      expire(at: now)
    }
    if let end = session.shutdownEnd, end <= now { shutDown(at: now) }
    handleEvents(at: now)
  }

  mutating func turnEnded(at now: Instant) {
    if session.host.security.bonds.isChanged { session.keepBonds() }
  }

  mutating func interrupt(at now: Instant) {
    if outcome == nil {
      finish(.cancelled, at: now)
    } else if !session.isShuttingDown {
      shutDown(at: now)
    }
  }

  var wantsInput: Bool {
    outcome == nil && (session.host.security.delegate.question != nil || wantsLine)
  }

  mutating func take(_ line: [UInt8]?, at now: Instant) {
    if let prompt = session.host.security.delegate.question {
      answer(prompt, line, at: now)
    } else {
      takeLine(line, at: now)
    }
    handleEvents(at: now)
  }

  var deadline: Instant? {
    outcome == nil ? .earlier(session.deadline, workDeadline) : session.deadline
  }

  var isFinished: Bool {
    session.isShuttingDown && session.host.isShutDown || session.hasTimedOut
  }

  // MARK: The end

  /// Ends with `outcome`, unless it has one.
  mutating func finish(_ outcome: CentralOutcome, at now: Instant) {
    guard session.outcome == nil else { return }
    session.outcome = outcome
    session.securing = nil
    if let time = lastWork(before: outcome) {
      session.shutdownEnd = now.advanced(by: time)
    } else {
      shutDown(at: now)
    }
  }

  /// Ends the link and the scan.
  mutating func shutDown(at now: Instant) {
    guard !session.isShuttingDown else {
      session.hasTimedOut = true
      return
    }
    session.isShuttingDown = true
    session.shutdownEnd = now.advanced(by: CentralSession.disconnectTimeout)
    session.host.shutDown()
  }
}
