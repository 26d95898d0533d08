import BluetoothHost

/// What the panel requests of the ball.
public enum FrontPanelAction: Equatable, Sendable {
  /// Shake was pressed.
  case shake
  /// Clear was pressed.
  case clear
  /// Clear was held: disconnect every central.
  case release
}

/// The ball's body: two buttons and two lights, on injected time.
///
/// Takes the edges of the buttons and the events of the ball; gives actions, and whether each light
/// is on. It needs a call only at its `deadline`, and has none while its lights are steady and its
/// buttons at rest.
public struct FrontPanel: Sendable {
  /// How long clear has to be held to disconnect every central, in milliseconds.
  public static var holdTime: UInt32 { 3_000 }

  private var shake: Button
  private var clear: Button
  private var status = Light()
  private var answer = Light()
  private var holdDeadline: Instant?
  /// The waiting clear action: `.clear`, or `.release`, which includes it.
  private var pendingClear: FrontPanelAction?
  /// Whether a shake after the last clear is waiting.
  private var isShakePending = false

  /// A panel with dark lights, and buttons that are up.
  ///
  /// - Parameters:
  ///   - shakeDebounce: How long the contacts of shake may bounce, in milliseconds; 0 if the kernel
  ///     filters bounces.
  ///   - clearDebounce: The same for clear.
  public init(shakeDebounce: UInt32, clearDebounce: UInt32) {
    shake = Button(debounce: shakeDebounce)
    clear = Button(debounce: clearDebounce)
  }

  // MARK: Buttons

  /// Sets the present contact of `button`, as at the start. A button that is down then counts as
  /// pressed only after it has been up.
  @inline(never)
  public mutating func setContact(of button: ButtonName, isClosed: Bool) {
    switch button {
    case .shake: shake.setContact(isClosed: isClosed)
    case .clear:
      clear.setContact(isClosed: isClosed)
      holdDeadline = nil
    }
  }

  /// The contact of `button` has closed or opened.
  @inline(never)
  public mutating func edge(_ button: ButtonName, isClosed: Bool, at now: Instant) {
    // Applies a level that bounces have hidden, before this edge starts another debounce time.
    advance(to: now)
    switch button {
    case .shake:
      if shake.edge(isClosed: isClosed, at: now) { append(.shake) }
    case .clear:
      if clear.edge(isClosed: isClosed, at: now) { pressClear(at: now) }
      if !clear.isPressed { holdDeadline = nil }
    }
  }

  /// The ball was shaken in the hand: as a press of shake.
  public mutating func requestShake() { append(.shake) }

  /// Whether `button` is down, without bounces.
  public func isPressed(_ button: ButtonName) -> Bool {
    button == .shake ? shake.isPressed : clear.isPressed
  }

  /// Takes the oldest waiting action; `nil` if there is none.
  ///
  /// No action is lost, and actions do not pile up: several shakes count as one, and clear cancels
  /// the shakes before it.
  public mutating func nextAction() -> FrontPanelAction? {
    if let action = pendingClear {
      pendingClear = nil
      return action
    }
    guard isShakePending else { return nil }
    isShakePending = false
    return .shake
  }

  /// Changes how long the contacts of `button` may bounce, in milliseconds; 0 if the kernel filters
  /// bounces. The button is then up.
  public mutating func setDebounce(of button: ButtonName, to debounce: UInt32) {
    switch button {
    case .shake: shake = Button(debounce: debounce)
    case .clear:
      clear = Button(debounce: debounce)
      holdDeadline = nil
    }
  }

  // MARK: Lights

  /// Shows the ball's state.
  public mutating func show(_ lights: BallLights, at now: Instant) {
    let pattern: LightPattern =
      switch lights.status {
      case .starting, .off: .off
      case .advertising: .slowBlink
      case .connected: .steady
      case .fault: .fastBlink
      }
    status.show(pattern, at: now)
  }

  /// Shows that centrals may pair: short pulses, until `show`.
  public mutating func showPairing(at now: Instant) { status.show(.pairing, at: now) }

  /// Shows that a statement was refused: a double flash.
  public mutating func showRefusal(at now: Instant) {
    status.flash(.doubleFlash, at: now)
  }

  /// Whether it shows that a statement was refused.
  public var isShowingRefusal: Bool { status.isFlashing }

  /// Shows that an answer was given: a pulse.
  public mutating func showAnswer(at now: Instant) {
    answer.flash(.pulse, at: now)
  }

  /// Whether `light` is on.
  public func isLit(_ light: LightName) -> Bool {
    light == .status ? status.isLit : answer.isLit
  }

  // MARK: Time

  /// When `advance(to:)` must be called next; `nil` if nothing is due.
  public var deadline: Instant? {
    var earliest = Instant.earlier(shake.settleTime, clear.settleTime)
    earliest = Instant.earlier(earliest, holdDeadline)
    earliest = Instant.earlier(earliest, status.deadline)
    return Instant.earlier(earliest, answer.deadline)
  }

  /// Does what is due by `now`.
  public mutating func advance(to now: Instant) {
    if shake.advance(to: now) { append(.shake) }
    if clear.advance(to: now) { pressClear(at: now) }
    if !clear.isPressed { holdDeadline = nil }
    if let time = holdDeadline, time <= now {
      holdDeadline = nil
      append(.release)
    }
    status.advance(to: now)
    answer.advance(to: now)
  }

  private mutating func pressClear(at now: Instant) {
    append(.clear)
    holdDeadline = now.advanced(by: Self.holdTime)
  }

  private mutating func append(_ action: FrontPanelAction) {
    guard action != .shake else {
      isShakePending = true
      return
    }
    isShakePending = false
    if pendingClear != .release { pendingClear = action }
  }
}
