import BluetoothHost
import EightBall

/// The ball on its host, with its panel and its printer: the driver that a `RadioLink` serves.
///
/// Public only for its conformance: the compiler specialises the protocol calls of a `RadioLink`
/// only in a module that sees the conformance. Without that an ask costs six times as much.
public struct BallProgram<
  let links: Int, let words: Int, let events: Int, Security: BallSecurity & ~Copyable,
  Metrics: MetricStore, Sets: AdvertisingSetRole
>: RadioDriver, ~Copyable {
  var host: ProtectedBallHost<links, Security, Sets>
  var panel = ButtonDriver()
  var printer: BallPrinter<words, events>
  var counter = Metrics()
  private var limit = OutputLimit<links>()
  /// The answer that the ball shows.
  private(set) var answer: Answer?
  private var isAnswerNew = false
  var now = Instant(rawValue: 0)
  /// Until when the host has nothing due, as far as the loop has asked: see `advance(to:)`.
  private var quietTime = Instant(rawValue: 0)

  init(
    _ configuration: BallConfiguration, _ protection: BallProtection,
    makingSecurity makeSecurity: () -> Security
  ) {
    host = ProtectedBallHost<links, Security, Sets>(
      configuration: configuration.host, database: Self.makeDatabase(protection),
      application: BallApplication<links>(seed: configuration.seed, style: configuration.style),
      makingSecurity: makeSecurity)
    printer = BallPrinter(name: configuration.host.name, format: configuration.lines)
  }

  // A function of its own, so that its copies leave the stack before the host is made.
  @inline(never) private static func makeDatabase(_ protection: BallProtection)
    -> EightBallProfile.Database
  {
    var database = EightBallProfile.makeDatabase()
    database.protect(.question, by: protection.ofQuestion)
    database.protect(.answer, by: protection.ofAnswer)
    return database
  }

  /// When the ball needs its next turn; `nil` if it waits only for the port.
  var deadline: Instant? {
    mutating get {
      let hosts = host.deadline
      quietTime = hosts ?? Instant(rawValue: .max)
      var earliest = Instant.earlier(hosts, limit.deadline)
      if Security.isPresent { earliest = Instant.earlier(earliest, securityDeadline) }
      return earliest
    }
  }

  // MARK: The radio

  /// The radio is open: sets the controller up.
  public mutating func radioIsReady(at now: Instant) {
    self.now = now
    host.start(at: now)
  }

  /// Passes the attributes of the ball's database to the port.
  public borrowing func exportAttributes<Port: RadioPort & ~Copyable>(to port: inout Port) {
    host.server.exportAttributes(to: &port)
  }

  /// Takes one whole packet from the controller, H4's type byte first.
  public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    self.now = now
    if Metrics.isPresent { counter.count(.received) }
    host.receive(packet, at: now)
  }

  /// Whether the host may have a packet, or waits for room in the controller.
  public var mayHavePacket: Bool { @inline(__always) get { host.mayHavePacket } }

  /// Writes the next packet for the controller, H4's type byte first; `false` if there is none now.
  @inline(__always) public mutating func nextPacket(into writer: inout ByteWriter, at now: Instant)
    -> Bool
  {
    let hasPacket = host.nextPacket(into: &writer, at: now)
    if Metrics.isPresent, hasPacket { counter.count(.sent) }
    return hasPacket
  }

  /// Reports the packet's events after its response was sent, and before the next packet can
  /// replace the question.
  @inline(__always) public mutating func packetWasServed(at now: Instant) { reportEvents() }

  /// Lets the host do what is due by now. Work that is due because of this turn's packets follows in the
  /// next turn, which comes at once: so each turn computes the deadline once.
  public mutating func advance(to now: Instant) {
    self.now = now
    if quietTime <= now, let deadline = host.deadline, deadline <= now { host.advance(to: now) }
    quietTime = Instant(rawValue: 0)
    if Security.isPresent { advanceSecurity(to: now) }
  }

  /// The radio was lost for `reason`.
  mutating func radioIsLost(_ reason: Span<UInt8>) {
    printer.reportRadioLost(reason)
    host.radioLost()
  }

  /// Ends the turn: reports its events, and how many lines were left out.
  mutating func endTurn() {
    reportEvents()
    if Security.isPresent, host.security.pairingGate.hasEvents { reportSecurity() }
    limit.advance(to: now)
    reportNotices()
  }

  /// Reports that the controller cannot send the advertising sets, if nothing else is advertised.
  private mutating func checkAdvertisingSets() {
    guard !host.server.sets.isEmpty, !host.hasAdvertisement else { return }
    let isExtended = host.isExtended
    var reason = ByteBuffer<128>()
    reason.write {
      $0.write(
        text: isExtended
          ? "The controller does not have the PHY of the advertising"
          : "The controller has no extended advertising")
    }
    printer.reportError(reason.span, kind: "radio")
  }

  /// Reports how many lines were left out, before the ball ends.
  mutating func reportOmissions() {
    limit.end()
    reportNotices()
  }

  // MARK: The panel

  /// Does what the buttons of `port` request.
  mutating func readButtons<Port: FrontPanelPort & ~Copyable>(
    from port: inout Port, at now: Instant
  ) {
    panel.readButtons(from: &port, at: now)
    while let action = panel.nextAction() {
      var listeners = 0
      switch action {
      case .shake: listeners = host.server.withApplication { $0.shake() }
      case .clear:
        host.server.withApplication { $0.clear() }
        show(nil)
      case .release:
        host.server.withApplication { $0.clear() }
        host.disconnectAll()
        show(nil)
      }
      printer.report(action, listeners: listeners)
      if Security.isPresent { note(action, at: now) }
    }
    if Security.isPresent { holdButtons(at: now) }
  }

  /// Sets the lights of `port`, and reports whether its lines are lost or ready.
  mutating func light<Port: FrontPanelPort & ~Copyable>(_ port: inout Port, at now: Instant) {
    let lights = host.server.withApplication { $0.lights }
    if Security.isPresent, host.security.isPairingOpen, lights.status != .fault {
      panel.showPairing(at: now)
    } else {
      panel.show(lights, at: now)
    }
    panel.light(&port, at: now)
    switch panel.takeLinesEvent() {
    case .lost:
      var reason = ByteBuffer<384>()
      reason.write { port.writeLinesError(to: &$0) }
      printer.reportLinesLost(reason.span)
    case .ready: printer.reportLinesReady()
    case nil: break
    }
  }

  /// Shows the ball's state on the display of `port`, and reports whether its parts are lost or ready.
  @inline(never) mutating func show<Port: PartsPort & ~Copyable>(
    on port: inout Port, at now: Instant
  ) {
    let status = host.server.withApplication { $0.lights.status }
    port.show(
      BallState(
        status: status, isPairingOpen: Security.isPresent && host.security.isPairingOpen,
        isRefusing: panel.panel.isShowingRefusal, answer: answer, isAnswerNew: isAnswerNew),
      at: now)
    while let change = port.takePartChange() {
      var reason = ByteBuffer<256>()
      if case .lost(let error) = change.event {
        reason.write { port.write(error, of: change.part, to: &$0) }
      }
      printer.report(change.part, isLost: change.event != .found, reason.span)
    }
  }

  /// Takes the answer that the ball shows, if it has changed; `.some(nil)` after a clear.
  mutating func takeNewAnswer() -> Answer?? {
    guard isAnswerNew else { return nil }
    isAnswerNew = false
    return .some(answer)
  }

  private mutating func show(_ answer: Answer?) {
    self.answer = answer
    isAnswerNew = true
  }

  // MARK: Reports

  @inline(__always) private mutating func reportEvents() {
    if host.server.withApplication({ $0.hasEvents }) { reportAllEvents() }
  }

  @inline(never) private mutating func reportAllEvents() {
    while let event = host.server.withApplication({ $0.nextEvent() }) {
      switch event {
      case .refused: panel.showRefusal(at: now)
      case .answered(_, let answer):
        panel.showAnswer(at: now)
        show(answer)
      case .radio(.silent) where Sets.isPresent: checkAdvertisingSets()
      case .radio(.advertising) where Security.isPresent: host.security.identify(as: host.address)
      case .disconnected(let connectionIndex, let address, _) where Security.isPresent:
        // The next link at the index may have begun. What happened to this one is not about it.
        if host.security.pairingGate.hasEvents { reportSecurity(ofEnded: connectionIndex, address) }
      default: break
      }
      printer.count(event, maximum: links)
      if Metrics.isPresent { counter.count(event, at: now) }
      let isAdmitted = !printer.prints(event) || limit.admits(event, at: now)
      // What was left out comes before the event.
      reportNotices()
      if isAdmitted { report(event) }
    }
  }

  @inline(__always) private mutating func reportNotices() {
    if limit.mayHaveNotices { reportAllNotices() }
  }

  @inline(never) private mutating func reportAllNotices() {
    while let notice = limit.nextNotice(at: now) {
      switch notice {
      case .omitted(let count, let connectionIndex, let central):
        if Metrics.isPresent { counter.count(limitedLines: count) }
        printer.reportOmission(of: count, at: connectionIndex, of: central)
      case .connected(let connectionIndex, let address):
        report(.connected(connectionIndex: connectionIndex, address: address))
      }
    }
  }

  private mutating func report(_ event: BallEvent) {
    guard printer.prints(event) else { return }
    let own = host.address
    switch event {
    case .asked(let connectionIndex):
      host.server.withApplication {
        Self.reportQuestion(event, at: connectionIndex, own, &$0, &printer)
      }
    case .subscribed(let connectionIndex, _), .refused(let connectionIndex, _),
      .answered(let connectionIndex, _):
      let central = host.server.withApplication { $0.address(at: connectionIndex) }
      printer.report(event, own: own, central: central, question: Span())
    case .connected, .disconnected, .radio, .missed:
      printer.report(event, own: own, central: nil, question: Span())
    }
  }

  private static func reportQuestion(
    _ event: BallEvent, at connectionIndex: Int, _ own: DeviceAddress,
    _ ball: inout BallApplication<links>, _ printer: inout BallPrinter<words, events>
  ) {
    let central = ball.address(at: connectionIndex)
    ball.withQuestion(at: connectionIndex) { question in
      printer.report(event, own: own, central: central, question: question)
    }
  }
}

extension BallProgram where Security == NoSecurity {
  /// A ball that protects nothing.
  init(_ configuration: BallConfiguration) {
    host = ProtectedBallHost<links, NoSecurity, Sets>(
      configuration: configuration.host, database: EightBallProfile.makeDatabase(),
      application: BallApplication<links>(seed: configuration.seed, style: configuration.style))
    printer = BallPrinter(name: configuration.host.name, format: configuration.lines)
  }
}
