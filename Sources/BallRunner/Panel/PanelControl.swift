import BluetoothHost
import EightBall

/// The ball's panel on the lines of a port: edges in, lights out, and lines that come and go.
///
/// Lines that are absent or lost never stop the ball: the trouble is reported once, and the lines are
/// asked for again and again.
struct PanelControl: ~Copyable {
  /// The panel.
  private(set) var panel = Panel(shakeDebounce: 0, clearDebounce: 0)

  private var gate = EdgeGate()
  private var isOpen = false
  private var hasHungUp = false
  /// When to ask for the lines again; `nil` while they are open.
  private var retry: Instant? = Instant(rawValue: 0)
  private var failures: UInt32 = 0
  /// Whether the trouble with the lines has not been taken.
  private var hasTrouble = false
  /// Whether the lines are open again, and that has not been taken.
  private var isBack = false
  /// How each light is; `nil` if it has to be set.
  private var isStatusLit: Bool?
  private var isAnswerLit: Bool?
  private var lastEdge = Instant(rawValue: 0)

  init() {}

  /// When `readButtons` must be called; `nil` if only the port can bring anything. Lights that are absent
  /// need no blinking.
  var deadline: Instant? {
    isOpen ? Instant.earlier(panel.deadline, gate.opening) : retry
  }

  // MARK: Buttons

  /// Gives the panel what has happened to the buttons, and lets its time pass.
  mutating func readButtons<Port: PanelPort & ~Copyable>(from port: inout Port, at now: Instant) {
    let news = port.takeLinesNews()
    if !isOpen {
      reopen(&port, at: now, hasChipChanged: news == .chipChanged)
    } else if news == .hungUp {
      hasHungUp = true
    } else if news == .chipChanged, !port.checkLines() {
      lose(&port, at: now)
    }
    if isOpen, !hear(&port, at: now) { lose(&port, at: now) }
    panel.advance(to: now)
  }

  /// Takes the next thing that the panel asks of the ball; `nil` if there is none.
  mutating func nextAction() -> PanelAction? { panel.nextAction() }

  /// Hears the edges; `false` if the lines are lost.
  private mutating func hear<Port: PanelPort & ~Copyable>(
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

  private mutating func readEdges<Port: PanelPort & ~Copyable>(
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

  /// After a rest, what the contacts say now is what counts.
  private mutating func openGate<Port: PanelPort & ~Copyable>(
    _ port: inout Port, at now: Instant
  ) -> Bool {
    // A kernel keeps 16 edges a line, so no chatter goes on for longer than this.
    var count = 0
    while count < 1_024, case .edge = port.nextEdge() { count &+= 1 }
    guard settle(.shake, &port, at: now), settle(.clear, &port, at: now) else { return false }
    gate.open()
    port.listen(toEdges: true)
    return true
  }

  private mutating func settle<Port: PanelPort & ~Copyable>(
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

  /// When an edge was, by our clock: never later than now nor before the last one. Old kernels tell the
  /// time by another clock.
  private mutating func time(of edge: ButtonEdge, _ now: Instant) -> Instant {
    let isOfOurClock = edge.time <= now && edge.time.advanced(by: 10_000) > now
    lastEdge = max(lastEdge, isOfOurClock ? edge.time : now)
    return lastEdge
  }

  // MARK: Lights

  /// The ball is in this state.
  mutating func show(_ lights: BallLights, at now: Instant) { panel.show(lights, at: now) }
  /// Centrals may pair.
  mutating func showPairing(at now: Instant) { panel.showPairing(at: now) }
  /// A statement was refused.
  mutating func showRefusal(at now: Instant) { panel.tellRefusal(at: now) }
  /// An answer was given.
  mutating func showAnswer(at now: Instant) { panel.tellAnswer(at: now) }

  /// Puts the panel's lights on the lines, where they have changed.
  mutating func light<Port: PanelPort & ~Copyable>(_ port: inout Port, at now: Instant) {
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

  /// Turns the lights off, and gives the lines back for good.
  mutating func close<Port: PanelPort & ~Copyable>(_ port: inout Port) {
    retry = nil
    guard isOpen else { return }
    // A chip that has gone has no light to turn off.
    _ = port.set(.status, isLit: false)
    _ = port.set(.answer, isLit: false)
    release(&port)
  }

  // MARK: Losing and finding

  /// Takes whether the lines cannot be used any more, or can be used again.
  mutating func takeNews() -> News? {
    defer {
      hasTrouble = false
      isBack = false
    }
    return hasTrouble ? .lost : isBack ? .ready : nil
  }

  /// What has become of the lines.
  enum News {
    /// They cannot be used.
    case lost
    /// They can be used.
    case ready
  }

  private mutating func reopen<Port: PanelPort & ~Copyable>(
    _ port: inout Port, at now: Instant, hasChipChanged: Bool
  ) {
    guard let retry, hasChipChanged || retry <= now else { return }
    guard port.openLines(), find(.shake, &port), find(.clear, &port) else {
      // A chip that has just come gets its permissions a moment later: it is too early to complain. If
      // it gets none, the next retry says so.
      if hasChipChanged { failures = 0 }
      return lose(&port, at: now, isReported: !hasChipChanged)
    }
    isOpen = true
    self.retry = nil
    failures = 0
    isBack = true
    hasTrouble = false
  }

  private mutating func find<Port: PanelPort & ~Copyable>(
    _ button: ButtonName, _ port: inout Port
  ) -> Bool {
    panel.setDebounce(of: button, to: port.debounce(of: button))
    switch port.contact(of: button) {
    case .lost: return false
    case .none: return true
    case .closed: panel.find(button, isClosed: true)
    case .open: panel.find(button, isClosed: false)
    }
    return true
  }

  private mutating func lose<Port: PanelPort & ~Copyable>(
    _ port: inout Port, at now: Instant, isReported: Bool = true
  ) {
    release(&port)
    // Nobody holds down a button of a chip that has gone.
    panel.find(.shake, isClosed: false)
    panel.find(.clear, isClosed: false)
    if isReported { hasTrouble = true }
    retry = now.advanced(by: RetryPace.delay(after: failures))
    failures &+= 1
  }

  private mutating func release<Port: PanelPort & ~Copyable>(_ port: inout Port) {
    port.closeLines()
    isOpen = false
    hasHungUp = false
    gate.open()
    isStatusLit = nil
    isAnswerLit = nil
  }
}
