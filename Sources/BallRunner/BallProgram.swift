import BluetoothHost
import EightBall

/// The ball on its host, with its panel and its words: what a radio's packets are for.
///
/// It is public for its conformance alone: the compiler specialises what a `RadioLink` calls by a protocol in
/// another module only where that module sees the conformance. Without it an ask costs six times as much.
public struct BallProgram<
  let places: Int, let words: Int, Security: BallSecurity & ~Copyable
>: RadioDriver, ~Copyable {
  var host: ProtectedBallHost<places, Security>
  var panel = PanelControl()
  var printer: BallPrinter<words>
  private var limit = OutputLimit<places>()
  /// The answer that the ball shows, and whether it is new.
  private var answer: Answer?
  private var isAnswerNew = false
  var now = Instant(rawValue: 0)

  init(
    _ configuration: BallConfiguration, _ protection: BallProtection,
    makingSecurity makeSecurity: () -> Security
  ) {
    host = ProtectedBallHost<places, Security>(
      configuration: configuration.host, database: Self.makeDatabase(protection),
      application: Ball<places>(seed: configuration.seed, style: configuration.style),
      makingSecurity: makeSecurity)
    printer = BallPrinter(name: configuration.host.name, format: configuration.lines)
  }

  // Apart, so that its copies are off the stack before the host is made.
  @inline(never)
  private static func makeDatabase(_ protection: BallProtection) -> BallProfile.Database {
    var database = BallProfile.makeDatabase()
    database.protect(.question, by: protection.ofQuestion)
    database.protect(.answer, by: protection.ofAnswer)
    return database
  }

  /// When the ball must have a turn; `nil` if only the port can bring anything.
  var deadline: Instant? {
    var earliest = Instant.earlier(host.deadline, limit.deadline)
    if Security.isPresent { earliest = Instant.earlier(earliest, securityDeadline) }
    return earliest
  }

  // MARK: The radio

  /// The radio is open: sets the controller up.
  public mutating func radioIsReady(at now: Instant) {
    self.now = now
    host.start(at: now)
  }

  /// Takes one whole packet of the controller, H4's type byte first.
  public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    self.now = now
    host.receive(packet, at: now)
  }

  /// Whether the host may have a packet, or waits for room in the controller.
  public var mayHavePacket: Bool { @inline(__always) get { host.mayHavePacket } }

  /// Writes the next packet for the controller, H4's type byte first; `false` if there is none now.
  @inline(__always)
  public mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    host.nextPacket(into: &writer, at: now)
  }

  /// Words what the packet brought before the next can bring another question in its place, and after
  /// the response has been sent.
  public mutating func packetWasServed(at now: Instant) { tellEvents() }

  /// Lets the host do what is due by now.
  public mutating func advance(to now: Instant) {
    self.now = now
    if let deadline = host.deadline, deadline <= now { host.advance(to: now) }
    if Security.isPresent { advanceSecurity(to: now) }
  }

  /// The radio was lost, for this reason.
  mutating func radioIsLost(_ reason: Span<UInt8>) {
    printer.tellRadioLost(reason)
    host.radioLost()
  }

  /// The turn is over: words what has happened, and what was left out.
  mutating func endTurn() {
    tellEvents()
    if Security.isPresent, host.security.desk.hasNews { tellSecurity() }
    limit.advance(to: now)
    reportNotices()
  }

  /// Words how many lines were left out, for the ball ends.
  mutating func reportOmissions() {
    limit.end()
    reportNotices()
  }

  // MARK: The panel

  /// Does what the buttons of `port` ask for.
  mutating func readButtons<Port: PanelPort & ~Copyable>(from port: inout Port, at now: Instant) {
    panel.readButtons(from: &port, at: now)
    while let action = panel.nextAction() {
      switch action {
      case .shake:
        host.server.withApplication { $0.shake() }
      case .clear:
        host.server.withApplication { $0.clear() }
        show(nil)
      case .release:
        host.server.withApplication { $0.clear() }
        host.disconnectAll()
        show(nil)
      }
      printer.tell(action)
      if Security.isPresent { note(action, at: now) }
    }
    if Security.isPresent { holdButtons(at: now) }
  }

  /// Lights the lights of `port`, and words what has become of its lines.
  mutating func light<Port: PanelPort & ~Copyable>(_ port: inout Port, at now: Instant) {
    let lights = host.server.withApplication { $0.lights }
    if Security.isPresent, host.security.isPairingOpen, lights.status != .fault {
      panel.showPairing(at: now)
    } else {
      panel.show(lights, at: now)
    }
    panel.light(&port, at: now)
    switch panel.takeNews() {
    case .lost:
      var reason = ByteBuffer<384>()
      reason.write { port.writeLinesTrouble(to: &$0) }
      printer.tellLinesLost(reason.span)
    case .ready: printer.tellLinesReady()
    case nil: break
    }
  }

  /// Takes the answer that the ball shows, if it has changed: `.some(nil)` if it has forgotten all.
  mutating func takeNewAnswer() -> Answer?? {
    guard isAnswerNew else { return nil }
    isAnswerNew = false
    return .some(answer)
  }

  private mutating func show(_ answer: Answer?) {
    self.answer = answer
    isAnswerNew = true
  }

  // MARK: Words

  @inline(__always)
  private mutating func tellEvents() {
    if host.server.withApplication({ $0.hasEvents }) { tellAllEvents() }
  }

  @inline(never)
  private mutating func tellAllEvents() {
    while let event = host.server.withApplication({ $0.nextEvent() }) {
      switch event {
      case .refused: panel.showRefusal(at: now)
      case .answered(_, let answer):
        panel.showAnswer(at: now)
        show(answer)
      case .radio(.advertising) where Security.isPresent:
        host.security.identify(as: host.address)
      default: break
      }
      printer.count(event, places: places)
      let isAdmitted = !printer.prints(event) || limit.admits(event, at: now)
      // What was left out comes before the event.
      reportNotices()
      if isAdmitted { tell(event) }
    }
  }

  @inline(__always)
  private mutating func reportNotices() {
    if limit.mayHaveNotices { reportAllNotices() }
  }

  @inline(never)
  private mutating func reportAllNotices() {
    while let notice = limit.nextNotice(at: now) {
      switch notice {
      case .omitted(let count, let place, let central):
        printer.tellOmission(of: count, at: place, of: central)
      case .connected(let place, let address):
        tell(.connected(place: place, address: address))
      }
    }
  }

  private mutating func tell(_ event: BallEvent) {
    guard printer.prints(event) else { return }
    let own = host.address
    switch event {
    case .asked(let place):
      host.server.withApplication { Self.tellQuestion(event, at: place, own, &$0, &printer) }
    case .subscribed(let place, _), .refused(let place, _), .answered(let place, _):
      let central = host.server.withApplication { $0.address(at: place) }
      printer.tell(event, own: own, central: central, question: Span())
    case .connected, .disconnected, .radio, .missed:
      printer.tell(event, own: own, central: nil, question: Span())
    }
  }

  private static func tellQuestion(
    _ event: BallEvent, at place: Int, _ own: DeviceAddress, _ ball: inout Ball<places>,
    _ printer: inout BallPrinter<words>
  ) {
    let central = ball.address(at: place)
    ball.withQuestion(at: place) { question in
      printer.tell(event, own: own, central: central, question: question)
    }
  }
}

extension BallProgram where Security == NoSecurity {
  /// A ball that protects nothing.
  init(_ configuration: BallConfiguration) {
    host = BallHost<places>(
      configuration: configuration.host, database: BallProfile.makeDatabase(),
      application: Ball<places>(seed: configuration.seed, style: configuration.style))
    printer = BallPrinter(name: configuration.host.name, format: configuration.lines)
  }
}
