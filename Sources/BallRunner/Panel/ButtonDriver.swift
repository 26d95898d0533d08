import BluetoothHost
import EightBall

/// The ball's panel on the lines of a port: reads edges, sets lights, and reopens lost lines.
/// Absent or lost lines never stop the ball: it reports them once and keeps retrying.
struct ButtonDriver: ~Copyable {
  /// The panel.
  private(set) var panel = FrontPanel(shakeDebounce: 0, clearDebounce: 0)

  private var gate = EdgeGate()
  private var isOpen = false
  private var hasHungUp = false
  /// When to open the lines again; `nil` while they are open.
  private var retry: Instant? = Instant(rawValue: 0)
  private var failures: UInt32 = 0
  /// Whether lost lines have not been reported.
  private var hasError = false
  /// Whether reopened lines have not been reported.
  private var isBack = false
  /// The last state that was set; `nil` if the light has to be set.
  private var isStatusLit: Bool?
  private var isAnswerLit: Bool?
  private var lastEdge = Instant(rawValue: 0)

  init() {}

  /// When `readButtons` must be called; `nil` if the panel waits only for the port. Absent lights
  /// need no blinking.
  var deadline: Instant? { isOpen ? Instant.earlier(panel.deadline, gate.opening) : retry }

  // MARK: Buttons

  /// Gives the panel the events of the buttons, and advances its time.
  mutating func readButtons<Port: FrontPanelPort & ~Copyable>(
    from port: inout Port, at now: Instant
  ) {
    let change = port.takeLinesChange()
    if !isOpen {
      reopen(&port, at: now, hasChipChanged: change == .chipChanged)
    } else if change == .hungUp {
      hasHungUp = true
    } else if change == .chipChanged, !port.checkLines() {
      lose(&port, at: now)
    }
    if isOpen, !takeEdges(&port, at: now) { lose(&port, at: now) }
    panel.advance(to: now)
  }

  /// The ball was shaken.
  mutating func shake() { panel.requestShake() }

  /// Takes the panel's next action; `nil` if there is none.
  mutating func nextAction() -> FrontPanelAction? { panel.nextAction() }

  /// Takes the edges; `false` if the lines are lost.
  private mutating func takeEdges<Port: FrontPanelPort & ~Copyable>(
    _ port: inout Port, at now: Instant
  ) -> Bool {
    if let opening = gate.opening {
      if opening > now, !hasHungUp { return true }
      guard openGate(&port, at: now) else { return false }
    } else {
      guard readEdges(from: &port, at: now) else { return false }
    }
    return !hasHungUp
  }

  private mutating func readEdges<Port: FrontPanelPort & ~Copyable>(
    from port: inout Port, at now: Instant
  ) -> Bool {
    while true {
      switch port.nextEdge() {
      case .none: return true
      case .lost: return false
      case .edge(let edge):
        panel.edge(edge.button, isClosed: edge.isClosed, at: time(of: edge, now))
        gate.count(at: now)
        guard gate.opening == nil else {
          port.listen(toEdges: false)
          return true
        }
      }
    }
  }

  /// After the gate was closed, the present contacts count.
  private mutating func openGate<Port: FrontPanelPort & ~Copyable>(
    _ port: inout Port, at now: Instant
  ) -> Bool {
    // A kernel keeps 16 edges a line, so a longer chatter is not in the queue.
    var count = 0
    while count < 1_024, case .edge = port.nextEdge() { count &+= 1 }
    guard settle(.shake, &port, at: now), settle(.clear, &port, at: now) else { return false }
    gate.open()
    port.listen(toEdges: true)
    return true
  }

  private mutating func settle<Port: FrontPanelPort & ~Copyable>(
    _ button: ButtonName, _ port: inout Port, at now: Instant
  ) -> Bool {
    switch port.contact(of: button) {
    case .lost: return false
    case .none: return true
    case .closed: panel.edge(button, isClosed: true, at: now)
    case .open: panel.edge(button, isClosed: false, at: now)
    }
    return true
  }

  /// The time of an edge by the port's clock: at least that of the last edge, at most now. Old
  /// kernels use another clock.
  private mutating func time(of edge: ButtonEdge, _ now: Instant) -> Instant {
    let isOfOurClock = edge.time <= now && edge.time.advanced(by: 10_000) > now
    lastEdge = max(lastEdge, isOfOurClock ? edge.time : now)
    return lastEdge
  }

  // MARK: Lights

  /// Shows the ball's state.
  mutating func show(_ lights: BallLights, at now: Instant) { panel.show(lights, at: now) }
  /// Shows that pairing is open.
  mutating func showPairing(at now: Instant) { panel.showPairing(at: now) }
  /// Shows that a statement was refused.
  mutating func showRefusal(at now: Instant) { panel.showRefusal(at: now) }
  /// Shows that an answer was given.
  mutating func showAnswer(at now: Instant) { panel.showAnswer(at: now) }

  /// Sets the lights that have changed.
  mutating func light<Port: FrontPanelPort & ~Copyable>(_ port: inout Port, at now: Instant) {
    guard isOpen else { return }
    let isStatus = panel.isLit(.status)
    let isAnswer = panel.isLit(.answer)
    if isStatus != isStatusLit {
      isStatusLit = isStatus
      guard port.set(.status, isLit: isStatus) else { return lose(&port, at: now) }
    }
    if isAnswer != isAnswerLit {
      isAnswerLit = isAnswer
      guard port.set(.answer, isLit: isAnswer) else { return lose(&port, at: now) }
    }
  }

  /// Turns the lights off and releases the lines for good.
  mutating func close<Port: FrontPanelPort & ~Copyable>(_ port: inout Port) {
    retry = nil
    guard isOpen else { return }
    // A chip that has gone has no light to turn off.
    _ = port.set(.status, isLit: false)
    _ = port.set(.answer, isLit: false)
    release(&port)
  }

  // MARK: Lost and reopened lines

  /// Takes the change of the lines to report; `nil` if there is none.
  mutating func takeLinesEvent() -> LinesEvent? {
    defer {
      hasError = false
      isBack = false
    }
    return hasError ? .lost : isBack ? .ready : nil
  }

  /// A change of the lines to report.
  enum LinesEvent {
    /// They cannot be used.
    case lost
    /// They can be used.
    case ready
  }

  private mutating func reopen<Port: FrontPanelPort & ~Copyable>(
    _ port: inout Port, at now: Instant, hasChipChanged: Bool
  ) {
    guard let retry, hasChipChanged || retry <= now else { return }
    guard port.openLines(), readInitialContact(.shake, &port), readInitialContact(.clear, &port)
    else {
      // A new chip gets its permissions a moment later, so report no failure yet. If it gets none,
      // the next retry reports it.
      if hasChipChanged { failures = 0 }
      return lose(&port, at: now, isReported: !hasChipChanged)
    }
    isOpen = true
    self.retry = nil
    failures = 0
    isBack = true
    hasError = false
  }

  private mutating func readInitialContact<Port: FrontPanelPort & ~Copyable>(
    _ button: ButtonName, _ port: inout Port
  ) -> Bool {
    panel.setDebounce(of: button, to: port.debounce(of: button))
    switch port.contact(of: button) {
    case .lost: return false
    case .none: return true
    case .closed: panel.setContact(of: button, isClosed: true)
    case .open: panel.setContact(of: button, isClosed: false)
    }
    return true
  }

  private mutating func lose<Port: FrontPanelPort & ~Copyable>(
    _ port: inout Port, at now: Instant, isReported: Bool = true
  ) {
    release(&port)
    // A chip that is gone holds no button down.
    panel.setContact(of: .shake, isClosed: false)
    panel.setContact(of: .clear, isClosed: false)
    if isReported { hasError = true }
    retry = now.advanced(by: RetryPace.delay(after: failures))
    failures &+= 1
  }

  private mutating func release<Port: FrontPanelPort & ~Copyable>(_ port: inout Port) {
    port.closeLines()
    isOpen = false
    hasHungUp = false
    gate.open()
    isStatusLit = nil
    isAnswerLit = nil
  }
}

/// Closes when a button chatters, so that its edges do not wake the loop for a while. A press with
/// all its bounces is a few edges. A broken contact or a loose wire can make thousands a second,
/// and each would wake the loop.
struct EdgeGate {
  /// The edges that may come in one period: far more than a press bounces.
  static var limit: Int { 64 }
  /// The length of a period, and of the rest after too many edges, in milliseconds.
  static var period: UInt32 { 100 }

  private var periodEnd = Instant(rawValue: 0)
  private var count = 0
  /// When the gate opens again; `nil` while it is open.
  private(set) var opening: Instant?

  /// Counts an edge; closes the gate if there are too many.
  mutating func count(at now: Instant) {
    if periodEnd <= now {
      periodEnd = now.advanced(by: Self.period)
      count = 0
    }
    count += 1
    if count > Self.limit { opening = now.advanced(by: Self.period) }
  }

  /// Opens the gate.
  mutating func open() {
    opening = nil
    count = 0
  }
}
