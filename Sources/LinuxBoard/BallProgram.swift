import BluetoothHost
import EightBall
import LinuxRadio

/// Whoever watches a ball: prints what happens, or keeps it for a test.
public protocol BallObserver: ~Copyable {
  /// The ball's radio can be used no more, until it is `starting` again.
  mutating func radioWasLost(_ error: RadioError)

  /// Something has happened to the ball, which goes by the address `own`. If it concerns a
  /// central, that is `central`. A question's text, in UTF-8, is there when one is asked, and
  /// empty otherwise.
  mutating func ball(
    _ own: DeviceAddress, did event: BallEvent, with central: DeviceAddress?,
    question: Span<UInt8>)

  /// Whether it prints a line for `event`. Only such events count against the limit of lines.
  func prints(_ event: BallEvent) -> Bool

  /// So many lines of the central at `place` were left out, because there were more than the limit
  /// allows. `central` is `nil` if the lines are of several centrals, one after the other.
  ///
  /// A connection and its end are both observed or both left out.
  mutating func ball(didOmit count: Int, at place: Int, of central: DeviceAddress?)

  /// A button was pressed, and the ball has done what it is for.
  mutating func button(did action: PanelAction)

  /// The lines of the board can be used no more, for this reason; or, without one, again.
  mutating func board(wasLost reason: String?)
}

extension BallObserver where Self: ~Copyable {
  /// Every event, unless the observer has no words for some.
  public func prints(_ event: BallEvent) -> Bool { true }
  /// Nothing, unless the observer has words for it.
  public mutating func button(did action: PanelAction) {}
  /// Nothing, unless the observer has words for it.
  public mutating func board(wasLost reason: String?) {}
}

/// The 8-ball and its host, as something to run on a radio.
public struct BallProgram<Observer: BallObserver & ~Copyable>: RadioProgram, ~Copyable {
  /// How many centrals it serves at once.
  public static var places: Int { 4 }

  /// The ball's host.
  public var host: BallHost<4>
  /// Whoever watches.
  public var observer: Observer
  /// Its buttons and lights, if it has any.
  public var body: (any BallBody)?
  /// What a service manager is told, if one has started it.
  public var service: ServiceReport?
  private var output = OutputLimit<4>()
  private var panel = Panel(shakeDebounce: 0, clearDebounce: 0)
  /// When the turn began.
  private var now = Instant(rawValue: 0)
  private var isRadioReady = false
  private var isEnding = false

  /// A ball that waits for its radio.
  public init(
    configuration: HostConfiguration, seed: UInt64, style: AnswerStyle,
    observer: consuming Observer
  ) {
    host = BallHost<4>(
      configuration: configuration, database: BallProfile.makeDatabase(),
      application: Ball<4>(seed: seed, style: style))
    self.observer = observer
  }

  /// Its host sets the controller up.
  public mutating func radioIsReady(at now: Instant) {
    isRadioReady = true
    host.start(at: now)
  }

  /// Its host forgets every link.
  public mutating func radioIsLost(_ error: RadioError, at now: Instant) {
    self.now = now
    isRadioReady = false
    host.radioLost()
    observer.radioWasLost(error)
  }

  /// A packet for its host.
  public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    self.now = now
    host.receive(packet, at: now)
    // At once: the next packet may bring another question in the place of this one.
    tellEvents()
  }

  /// The next packet of its host.
  public mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    host.nextPacket(into: &writer, at: now)
  }

  /// When the ball wants to be called next.
  public var deadline: Instant? {
    let reports = Instant.earlier(service?.deadline, output.deadline)
    let own = Instant.earlier(host.deadline, reports)
    guard let body else { return own }
    return Instant.earlier(own, Instant.earlier(panel.deadline, body.deadline))
  }

  /// The time is `now`.
  public mutating func advance(to now: Instant) {
    self.now = now
    host.advance(to: now)
    if let body {
      body.readButtons(into: &panel, at: now)
      panel.advance(to: now)
      obeyButtons()
    }
  }

  /// Tells the observer what has happened, and the service manager how it is.
  public mutating func turnEnded() {
    tellEvents()
    output.advance(to: now)
    reportNotices()
    if let service {
      service.note(host.radio, connectionCount: host.connectionCount)
      service.send(at: now)
    }
    guard let body else { return }
    panel.show(host.server.application.lights, at: now)
    body.show(panel, at: now)
    switch body.takeNews() {
    case .lost(let reason): observer.board(wasLost: reason)
    case .ready: observer.board(wasLost: nil)
    case nil: break
    }
  }

  /// Advertising ends, and every link.
  public mutating func shutDown(at now: Instant) {
    isEnding = true
    service?.stop()
    host.shutDown()
  }

  /// Whether the ball has shut down, or has no radio to do it on.
  public var isFinished: Bool { isEnding && (host.isShutDown || !isRadioReady) }

  /// Reports what has been left out and not yet been counted to the observer. Call it when the ball
  /// runs no more.
  public mutating func reportOmissions() {
    output.end()
    reportNotices()
  }

  private mutating func obeyButtons() {
    while let action = panel.nextAction() {
      switch action {
      case .shake:
        host.server.application.shake()
      case .clear:
        host.server.application.clear()
      case .release:
        host.server.application.clear()
        host.disconnectAll()
      }
      observer.button(did: action)
    }
  }

  private mutating func tellEvents() {
    let own = host.address
    while let event = host.server.application.nextEvent() {
      switch event {
      case .refused: panel.tellRefusal(at: now)
      case .answered: panel.tellAnswer(at: now)
      default: break
      }
      let isPrinted = !observer.prints(event) || output.admits(event, at: now)
      // What was left out comes before the event.
      reportNotices()
      if isPrinted { Self.tell(event, own, &host.server.application, &observer) }
    }
  }

  private mutating func reportNotices() {
    while let notice = output.nextNotice(at: now) {
      switch notice {
      case .omitted(let count, let place, let central):
        observer.ball(didOmit: count, at: place, of: central)
      case .connected(let place, let address):
        Self.tell(
          .connected(place: place, address: address), host.address, &host.server.application,
          &observer)
      }
    }
  }

  private static func tell(
    _ event: BallEvent, _ own: DeviceAddress, _ ball: inout Ball<4>, _ observer: inout Observer
  ) {
    switch event {
    case .asked(let place):
      let central = ball.address(at: place)
      ball.withQuestion(at: place) { question in
        observer.ball(own, did: event, with: central, question: question)
      }
    case .connected(_, let address), .disconnected(_, let address, _):
      observer.ball(own, did: event, with: address, question: Span())
    case .subscribed(let place, _), .refused(let place, _), .answered(let place, _):
      observer.ball(own, did: event, with: ball.address(at: place), question: Span())
    case .radio, .missed:
      observer.ball(own, did: event, with: nil, question: Span())
    }
  }
}
