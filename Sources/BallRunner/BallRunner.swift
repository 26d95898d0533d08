import BluetoothHost
import EightBall

/// What a ball is like. It is fixed when the ball is made.
public struct BallConfiguration: Sendable {
  /// The host's part: the name, the address, the limits.
  public var host: HostConfiguration
  /// Decides all answers.
  public var seed: UInt64
  /// How answers are worded.
  public var style: AnswerFormat
  /// How events are printed.
  public var lines: LineFormat

  /// A ball of this name, address and seed.
  public init(
    host: HostConfiguration, seed: UInt64, style: AnswerFormat = .text, lines: LineFormat = .words
  ) {
    self.host = host
    self.seed = seed
    self.style = style
    self.lines = lines
  }
}

/// How a ball prints its events.
public enum LineFormat: Equatable, Sendable {
  /// In words, for people.
  case words
  /// One JSON object per line, for programs.
  case json
  /// Nothing but errors and lost parts, in words.
  case none
}

/// How a ball has ended.
public enum BallEnd: Equatable, Sendable {
  /// It was asked to end.
  case asked
  /// Its radio could not be opened at the start.
  case noRadio
  /// The machine refused to wait.
  case noWait
}

/// A ball with its host, its panel and its printer on a port: one thread, one loop, asleep when
/// idle.
///
/// - `links`: how many centrals it serves at once.
/// - `packet`: the longest packet that it receives, at least `RadioLink.longestSentPacket`.
/// - `words`: how many bytes of lines may wait for a slow reader.
/// - `events`: how many bytes of events may wait in a turn for the programs at the control socket;
///   0 for a machine without one.
/// - `Security`: how it protects links.
public struct ProtectedBallRunner<
  let links: Int, let packet: Int, let words: Int, let events: Int, Machine: Port & ~Copyable,
  Security: BallSecurity & ~Copyable
>: ~Copyable {
  /// How long a ball that ends may take to disconnect its centrals, in milliseconds.
  static var disconnectTimeout: UInt32 { 2_000 }

  /// The machine.
  public var port: Machine

  private var link = RadioLink<packet>()
  /// The ball on its host.
  var ball: BallProgram<links, words, events, Security, Machine.Metrics, Machine.Sets>
  private var service: ServiceReport
  /// Whether the radio has been open.
  private var hasBeenOpen = false
  /// When the ball ends at the latest; `nil` until it is asked to end.
  private var end: Instant?
  #if !WORDS_FOR_PEOPLE_ONLY
    /// The lights that the listeners at the control socket last received.
    var lights = ShownLights()
    /// The listeners that hold buttons down.
    var holders = ButtonHolders()
  #endif

  /// A ball on `port`, not yet started. `security.pairingGate.protection` is the protection that
  /// its links need.
  public init(
    _ configuration: BallConfiguration, security: consuming Security, on port: consuming Machine
  ) {
    let protection = security.pairingGate.protection
    var security: Security? = security
    self.init(
      configuration, protection,
      makingSecurity: {
        guard let made = security.take() else {
          preconditionFailure("A ball has one Security Manager.")
        }
        return made
      }, on: port)
  }

  /// A ball on `port`, not yet started. It makes its security in place: the stack of a small
  /// machine has no room for two copies.
  ///
  /// - Parameters:
  ///   - configuration: The settings of the ball.
  ///   - protection: The protection that its links need.
  ///   - makeSecurity: Called once.
  ///   - port: The machine.
  public init(
    _ configuration: BallConfiguration, _ protection: BallProtection,
    makingSecurity makeSecurity: () -> Security, on port: consuming Machine
  ) {
    ball = BallProgram(configuration, protection, makingSecurity: makeSecurity)
    service = ServiceReport(watchdogTimeout: port.watchdogTimeout)
    self.port = port
  }

  /// Prints a line, without its end.
  public mutating func print(_ line: Span<UInt8>, to stream: OutputStream = .output) {
    ball.printer.print(line: line, to: stream)
    ball.printer.flush(to: &port)
  }

  /// Prints why the ball cannot run.
  ///
  /// - Parameters:
  ///   - reason: A sentence without its full stop.
  ///   - kind: The kind of reason, for programs.
  public mutating func fail(_ reason: Span<UInt8>, kind: StaticString) {
    ball.printer.reportError(reason, kind: kind)
    ball.printer.flush(to: &port)
  }

  /// Runs until it is asked to end, then releases the radio and the lines.
  public mutating func run() -> BallEnd {
    var result = BallEnd.asked
    while true {
      let now = port.now
      guard let isUnfinished = turn(at: now) else {
        result = .noRadio
        break
      }
      if isFinished(at: now) { break }
      guard port.wait(until: isUnfinished ? now : deadline) else {
        result = .noWait
        break
      }
    }
    close()
    return result
  }

  /// When the next turn is due; `nil` if the ball waits only for the port.
  public var deadline: Instant? {
    mutating get {
      var earliest = Instant.earlier(ball.deadline, link.deadline)
      earliest = Instant.earlier(earliest, port.deadline)
      if port.hasPanel { earliest = Instant.earlier(earliest, findPanelDeadline()) }
      if port.hasServiceManager { earliest = Instant.earlier(earliest, service.deadline) }
      return Instant.earlier(earliest, end)
    }
  }

  /// One turn of the loop: handles input, then what is due, then prints.
  ///
  /// - Returns: Whether there may be more to do at once; `nil` if the radio cannot be opened at the
  ///   start.
  public mutating func turn(at now: Instant) -> Bool? {
    port.advance(to: now)
    if end == nil, port.endRequests > 0 { shutDown(at: now) }
    if !link.isOpen, !open(at: now) { return nil }
    #if !WORDS_FOR_PEOPLE_ONLY
      if Machine.hasControl, port.hasControlEvent { serveListeners() }
    #endif
    if port.hasPanel { readPanel(at: now) }
    if Security.isPresent, let isConfirmed = port.takeConfirmation() {
      ball.answer(isConfirmed, at: now)
    }
    let turn = link.serve(&port, for: &ball, at: now)
    if case .lost(let error) = turn { lose(error) }
    ball.endTurn()
    if Security.isPresent {
      port.questionChanged(to: ball.question)
      ball.keepBonds(on: &port)
    }
    if port.hasPanel { showPanel(at: now) }
    if port.hasServiceManager {
      service.note(
        ball.host.radio, connectionCount: ball.host.connectionCount, isWaiting: port.waitsForRadio)
      service.send(to: &port, at: now)
    }
    if let answer = ball.takeNewAnswer() { port.answerChanged(to: answer) }
    #if !WORDS_FOR_PEOPLE_ONLY
      if Machine.hasControl, port.hasListeners { sendChanges() }
    #endif
    if Machine.Metrics.isPresent { ball.counter.note(unreportedLines: ball.printer.lostLines) }
    if ball.printer.hasLines {
      ball.printer.flush(to: &port)
      if Machine.Metrics.isPresent { ball.counter.note(unreportedLines: ball.printer.lostLines) }
    }
    return turn == .unfinished
  }

  // MARK: The panel

  // Functions of their own: a ball without a panel keeps the registers that they need. A microcontroller's ball always
  // has one, and would only become larger.

  #if !WORDS_FOR_PEOPLE_ONLY
    @inline(never)
  #endif
  private mutating func readPanel(at now: Instant) {
    if Machine.hasParts, port.takeShake(at: now) { ball.panel.shake() }
    ball.readButtons(from: &port, at: now)
  }

  #if !WORDS_FOR_PEOPLE_ONLY
    @inline(never)
  #endif
  private mutating func findPanelDeadline() -> Instant? {
    let deadline = ball.panel.deadline
    return Machine.hasParts ? Instant.earlier(deadline, port.partsDeadline) : deadline
  }

  #if !WORDS_FOR_PEOPLE_ONLY
    @inline(never)
  #endif
  private mutating func showPanel(at now: Instant) {
    ball.light(&port, at: now)
    if Machine.hasParts { ball.show(on: &port, at: now) }
  }

  // MARK: The radio

  /// Opens the radio when a try is due; `false` if it fails and the radio was never open.
  private mutating func open(at now: Instant) -> Bool {
    switch link.open(&port, at: now) {
    case .opened:
      if Security.isPresent, !hasBeenOpen { ball.openFirstPairing(at: now) }
      hasBeenOpen = true
    case .pending: break
    case .failed where !hasBeenOpen && end == nil:
      withReason(.port) { $0.reportError($1, kind: "radio") }
      return false
    case .failed: break
    }
    return true
  }

  // Rare, with large buffers: inlined, each turn would clear them.
  @inline(never) private mutating func lose(_ error: TransportError) {
    var reason = ByteBuffer<384>()
    write(error, to: &reason)
    ball.radioIsLost(reason.span)
  }

  @inline(never) private mutating func withReason(
    _ error: TransportError, _ body: (inout BallPrinter<words, events>, Span<UInt8>) -> Void
  ) {
    var reason = ByteBuffer<384>()
    write(error, to: &reason)
    body(&ball.printer, reason.span)
  }

  /// Writes why the radio was lost and what to do.
  private func write(_ error: TransportError, to buffer: inout ByteBuffer<384>) {
    var name = ByteBuffer<128>()
    name.write { port.writeRadioName(to: &$0) }
    buffer.write { writer in
      guard error != .port else { return port.writeRadioError(to: &writer) }
      error.writeReason(radio: name.span, to: &writer)
      guard let remedy = error.remedy else { return }
      writer.write(text: ". ")
      remedy.writePrefix(to: &writer)
    }
  }

  // MARK: The end

  private mutating func shutDown(at now: Instant) {
    end = now.advanced(by: Self.disconnectTimeout)
    service.stop()
    ball.host.shutDown()
  }

  /// Whether a ball that was asked to end has disconnected its centrals, or `disconnectTimeout` has
  /// passed.
  /// Call `close()` next.
  public mutating func isFinished(at now: Instant) -> Bool {
    guard let end else { return false }
    return ball.host.isShutDown || !link.isOpen || now >= end || port.endRequests > 1
  }

  /// Releases the radio and the lines for good. `run()` calls it.
  public mutating func close() {
    ball.reportOmissions()
    if port.hasPanel { ball.panel.close(&port) }
    link.close(&port)
    ball.printer.flush(to: &port)
  }
}

extension ProtectedBallRunner where Machine: ~Copyable, Security == NoSecurity {
  /// A ball on `port`, not yet started, without security.
  public init(_ configuration: BallConfiguration, on port: consuming Machine) {
    ball = BallProgram(configuration)
    service = ServiceReport(watchdogTimeout: port.watchdogTimeout)
    self.port = port
  }
}

/// A ball without security: it answers every central, and refuses to pair.
public typealias BallRunner<
  let links: Int, let packet: Int, let words: Int, let events: Int, Machine: Port & ~Copyable
> = ProtectedBallRunner<links, packet, words, events, Machine, NoSecurity>

/// For a program that runs many balls: the state of one ball, and control of its links.
extension ProtectedBallRunner where Machine: ~Copyable, Security: ~Copyable {
  /// The state of the ball's radio.
  public var radio: RadioState { ball.host.radio }

  /// How many centrals are connected.
  public var connectionCount: Int { ball.host.connectionCount }

  /// Sets what the ball advertises: legacy PDUs, and an advertising set; `nil` for none. False if the
  /// set's data does not fit, or if the port has no sets.
  public mutating func advertise(
    _ advertisement: Advertisement?, _ set: AdvertisingSet?, _ data: Span<UInt8>
  ) -> Bool {
    ball.host.advertise(advertisement)
    if let set, set.primaryPHY == .leCoded { ball.host.server.sets.linkPHYs = .leCoded }
    return ball.host.advertise(set, data, in: 0)
  }

  /// Whether centrals may pair now.
  public var isPairingOpen: Bool { ball.host.security.isPairingOpen }

  /// Disconnects all centrals in the next turn. The ball continues or resumes advertising.
  public mutating func disconnectAll() { ball.host.disconnectAll() }
}
