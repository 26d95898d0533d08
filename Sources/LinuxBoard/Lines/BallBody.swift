import BluetoothHost
import Boards
import EightBall
import Glibc
import LinuxRadio
import LinuxSystem

/// The ball's body on whatever board: what a running ball needs of it.
///
/// It never fails the ball: lines that cannot be had, or are lost, are told of once and asked for
/// again and again.
public protocol BallBody: AnyObject {
  /// Gives `panel` what has happened to the buttons. Call it in every turn of the loop, and by
  /// `deadline`.
  func readButtons(into panel: inout Panel, at now: Instant)

  /// Makes the lights as `panel` has them, if they are not.
  func show(_ panel: borrowing Panel, at now: Instant)

  /// When `readButtons` must be called; `nil` if only a descriptor can bring anything.
  var deadline: Instant? { get }

  /// Takes what has become of the lines since this was last asked; `nil` if nothing.
  func takeNews() -> BodyNews?

  /// Turns the lights off, and gives the lines back.
  func close()
}

/// What has become of a board's lines.
public enum BodyNews: Equatable, Sendable {
  /// They cannot be used: why, and what helps.
  case lost(String)
  /// They can be used again.
  case ready
}

/// The ball's body on the lines of a board.
public final class BoardBody<Lines: BoardLines>: BallBody, EventHandler {
  /// The lines.
  public let lines: Lines

  private let board: BoardDescription
  private let loop: EventLoop
  private let chips: DirectoryWatch?
  /// Ours, so that the loop can let go of it when the lines have closed theirs.
  private var descriptor: FileDescriptor?
  private var registration: EventLoop.Registration?
  private var isOpen = false
  private var mayHaveEdges = false
  private var hasHungUp = false
  private var gate = EdgeGate()

  /// When to ask for the lines again.
  private var retry: Instant? = Instant(rawValue: 0)
  private var failures: UInt32 = 0
  private var news: BodyNews?
  private var complaint: String?
  /// Whether the lines were lost since the panel was last told of the buttons.
  private var isPanelStale = false

  /// How each light is; `nil` if it has to be set.
  private var isStatusLit: Bool?
  private var isAnswerLit: Bool?
  private var lastEdge = Instant(rawValue: 0)

  /// The body of `board`, whose lines are asked for in the first turn of `loop`.
  ///
  /// - Parameter chips: What tells that a chip has come or gone. Without it, a chip that goes is
  ///   noticed by the lines' descriptor, where the kernel is so new that this hangs up, or else by
  ///   the next light; and one that comes by asking for it from time to time.
  public init(
    _ board: BoardDescription, lines: Lines, loop: EventLoop, chips: DirectoryWatch? = nil
  ) {
    self.board = board
    self.lines = lines
    self.loop = loop
    self.chips = chips
  }

  /// When time has to be let pass next; `nil` if it need not be.
  public var deadline: Instant? {
    Instant.earlier(retry, Instant.earlier(gate.opening, lines.deadline))
  }

  /// Takes what has happened to the lines; `nil` if nothing has.
  public func takeNews() -> BodyNews? {
    defer { news = nil }
    return news
  }

  /// Gives the lines back.
  public func close() {
    if isOpen {
      // A chip that has gone has no light to turn off.
      try? lines.set(.status, isLit: false)
      try? lines.set(.answer, isLit: false)
    }
    release()
    chips?.stop()
    retry = nil
  }

  /// Something has come for the descriptor of `token`.
  public func handle(_ readiness: Readiness, token: Int) {
    if readiness.isReadable { mayHaveEdges = true }
    if readiness.isHangUp { hasHungUp = true }
  }

  // MARK: Buttons

  /// Hands the buttons' edges to `panel`.
  public func readButtons(into panel: inout Panel, at now: Instant) {
    lines.advance(to: now)
    let hasChipChanged = chips?.takeChange() ?? false
    if !isOpen {
      reopen(&panel, at: now, hasChipChanged)
    } else if hasChipChanged {
      check(at: now)
    }
    if isOpen { hear(&panel, at: now) }
    if isPanelStale {
      // Nobody holds down a button of a chip that has gone.
      isPanelStale = false
      panel.find(.shake, isClosed: false)
      panel.find(.clear, isClosed: false)
    }
  }

  private func hear(_ panel: inout Panel, at now: Instant) {
    do throws(Lines.Failure) {
      if let opening = gate.opening {
        if opening > now, !hasHungUp { return }
        try openGate(&panel, at: now)
      } else if mayHaveEdges {
        mayHaveEdges = false
        try readEdges(into: &panel, at: now)
      }
      if hasHungUp { throw lines.vanished }
    } catch {
      lose(error, at: now)
    }
  }

  private func readEdges(into panel: inout Panel, at now: Instant) throws(Lines.Failure) {
    while let edge = try lines.nextEdge() {
      panel.edge(edge.button, isClosed: edge.isClosed, at: time(of: edge, now))
      gate.count(at: now)
      guard gate.opening == nil else { return listen(.none) }
    }
  }

  /// After a rest, what the contacts say is what counts, not what they said in the meantime.
  private func openGate(_ panel: inout Panel, at now: Instant) throws(Lines.Failure) {
    // The kernel keeps 16 edges a line; no chatter can go on for longer than this.
    for _ in 0..<1_024 { guard try lines.nextEdge() != nil else { break } }
    try read(.shake, into: &panel) { $0.edge(.shake, isClosed: $1, at: now) }
    try read(.clear, into: &panel) { $0.edge(.clear, isClosed: $1, at: now) }
    gate.open()
    listen(.readable)
  }

  private func read(
    _ button: ButtonName, into panel: inout Panel, _ body: (inout Panel, Bool) -> Void
  ) throws(Lines.Failure) {
    guard let isClosed = try lines.isClosed(button) else { return }
    body(&panel, isClosed)
  }

  private func listen(_ interest: Readiness) {
    guard let registration else { return }
    // Fails only for a descriptor that the loop does not have.
    try? loop.change(registration, to: interest)
  }

  /// When an edge was, by our clock: never later than now nor before the last one. Old kernels
  /// tell the time by another clock.
  private func time(of edge: ButtonEdge, _ now: Instant) -> Instant {
    let isOfOurClock = edge.time <= now && edge.time.advanced(by: 10_000) > now
    lastEdge = max(lastEdge, isOfOurClock ? edge.time : now)
    return lastEdge
  }

  // MARK: Lights

  /// Puts the panel's lights on the lines, where they have changed.
  public func show(_ panel: borrowing Panel, at now: Instant) {
    guard isOpen else { return }
    do throws(Lines.Failure) {
      let isStatus = panel.isLit(.status)
      if isStatus != isStatusLit {
        isStatusLit = isStatus
        try lines.set(.status, isLit: isStatus)
      }
      let isAnswer = panel.isLit(.answer)
      if isAnswer != isAnswerLit {
        isAnswerLit = isAnswer
        try lines.set(.answer, isLit: isAnswer)
      }
    } catch {
      lose(error, at: now)
    }
  }

  // MARK: Losing and finding

  /// Some chip has come, gone or changed: perhaps ours.
  private func check(at now: Instant) {
    do throws(Lines.Failure) {
      try lines.check()
    } catch {
      lose(error, at: now)
    }
  }

  private func reopen(_ panel: inout Panel, at now: Instant, _ hasChipChanged: Bool) {
    guard let retry, hasChipChanged || retry <= now else { return }
    do throws(Lines.Failure) {
      try lines.open()
      setDebounce(&panel)
      try read(.shake, into: &panel) { $0.find(.shake, isClosed: $1) }
      try read(.clear, into: &panel) { $0.find(.clear, isClosed: $1) }
    } catch {
      // A chip that has just come gets its permissions a moment later: too early to complain. If
      // it gets none, the next retry tells.
      if hasChipChanged { failures = 0 }
      return lose(error, at: now, isTold: !hasChipChanged)
    }
    watch()
    isOpen = true
    isPanelStale = false
    self.retry = nil
    failures = 0
    if complaint != nil {
      complaint = nil
      news = .ready
    }
  }

  private func setDebounce(_ panel: inout Panel) {
    let buttons: (ButtonName, ButtonName) = (.shake, .clear)
    panel.setDebounce(of: buttons.0, to: debounce(of: buttons.0))
    panel.setDebounce(of: buttons.1, to: debounce(of: buttons.1))
  }

  private func debounce(of button: ButtonName) -> UInt32 {
    guard let line = board.line(button) else { return 0 }
    return UInt32(clamping: line.debounceMilliseconds)
  }

  private func watch() {
    let number = dup(lines.descriptor)
    guard number >= 0 else { return }
    let descriptor = FileDescriptor(owning: number, name: "the buttons")
    // Without it there are lights and no buttons: only a kernel without memory refuses.
    registration = try? loop.add(descriptor, for: .readable, handler: self)
    self.descriptor = consume descriptor
  }

  private func lose(_ error: Lines.Failure, at now: Instant, isTold: Bool = true) {
    release()
    isPanelStale = true
    if isTold { complain(error.description) }
    retry = now.advanced(by: RetryPace.delay(after: failures))
    failures += 1
  }

  private func complain(_ text: String) {
    guard complaint != text else { return }
    complaint = text
    news = .lost(text)
  }

  private func release() {
    if let registration { loop.remove(registration) }
    registration = nil
    descriptor = nil
    lines.close()
    isOpen = false
    mayHaveEdges = false
    hasHungUp = false
    gate.open()
    isStatusLit = nil
    isAnswerLit = nil
  }
}
