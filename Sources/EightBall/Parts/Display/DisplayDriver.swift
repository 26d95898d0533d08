import BluetoothHost

/// Shows screens on a display, on injected time.
///
///     var display = DisplayDriver(SSD1306())
///     display.show(.advertising(name), at: now)
///     // At its deadline, and after each call of show or wake:
///     display.advance(to: now, on: &bus)
///
/// A display that has shown the same screen for a minute dims, and after five minutes it is off, so that its pixels do
/// not burn in. A new screen or `wake` lights it again, and then it is set up and drawn completely: it may have been
/// unplugged meanwhile, which nothing notices without a transfer. While a screen does not change, nothing is sent.
///
/// If the display is absent or fails, that is reported once. It is tried again every 10 s, and drawn completely when it
/// returns.
public struct DisplayDriver<Panel: DisplayPanel>: Sendable {
  /// Whether the display works.
  private enum Condition {
    case unknown, works, lost
  }

  private var panel: Panel
  /// What is shown; the screen that is off has no text.
  private var text = ScreenText()
  private var brightness = Brightness.off
  private var condition = Condition.unknown
  private var event: PartEvent?
  /// When the screen changed last, or the display was woken.
  private var wakeTime = Instant(rawValue: 0)
  /// When the panel has something to write; `nil` if it shows the screen.
  private var workTime: Instant? = Instant(rawValue: 0)

  /// A display that shows nothing yet, and that may be absent.
  public init(_ panel: Panel) { self.panel = panel }

  /// Shows `screen` from now on. Another screen than the last one lights the display; the same one changes nothing.
  public mutating func show(_ screen: BallScreen, at now: Instant) {
    let text = screen.text
    guard text != self.text else { return }
    self.text = text
    wake(at: now)
  }

  /// Lights the display, as after a shake. It dims a minute later.
  @inline(never)
  public mutating func wake(at now: Instant) {
    wakeTime = now
    if brightness != .lit, text.count > 0, condition != .lost { panel.reset() }
    setBrightness(at: now)
    work(at: now)
  }

  /// When `advance(to:on:)` must be called next; `nil` if nothing is due.
  public var deadline: Instant? { Instant.earlier(workTime, restTime) }

  /// Does what is due by `now`: at most one transfer of 33 bytes, 0.8 ms at 400 kHz. If more is to do, the deadline is
  /// `now`.
  public mutating func advance<Bus: I2CBus & ~Copyable>(to now: Instant, on bus: inout Bus) {
    if let restTime, restTime <= now {
      setBrightness(at: now)
      work(at: now)
    }
    guard let workTime, workTime <= now else { return }
    var bytes = InlineArray<33, UInt8>(repeating: 0)
    let count = write(to: bytes.mutableSpan, at: now)
    guard count > 0 else { return }
    do {
      try bus.write(bytes.span.extracting(first: count), to: panel.address)
    } catch {
      lose(error, at: now)
    }
  }

  /// Takes what has changed in whether the display works; `nil` if nothing has.
  public mutating func takeEvent() -> PartEvent? {
    defer { event = nil }
    return event
  }

  // MARK: Brightness

  /// After how many milliseconds a screen dims, and after how many it is off.
  private static var dimDelay: UInt32 { 60_000 }
  private static var offDelay: UInt32 { 300_000 }

  /// When the display dims or is off next.
  private var restTime: Instant? {
    switch brightness {
    case .lit: wakeTime.advanced(by: Self.dimDelay)
    case .dim: wakeTime.advanced(by: Self.offDelay)
    case .off: nil
    }
  }

  private mutating func setBrightness(at now: Instant) {
    if text.count == 0 || wakeTime.advanced(by: Self.offDelay) <= now {
      brightness = .off
    } else {
      brightness = wakeTime.advanced(by: Self.dimDelay) <= now ? .dim : .lit
    }
  }

  // MARK: The panel

  /// Lets the panel write at once, unless it has a wait or is lost.
  private mutating func work(at now: Instant) {
    if workTime == nil { workTime = now }
  }

  /// Writes the panel's next transfer to `bytes`, and returns its length.
  @inline(never)
  private mutating func write(to bytes: consuming MutableSpan<UInt8>, at now: Instant) -> Int {
    var writer = ByteWriter(bytes)
    if let wait = panel.writeNext(towards: text, brightness, to: &writer) {
      workTime = now.advanced(by: wait)
    } else {
      workTime = nil
      if condition != .works { event = .found }
      condition = .works
    }
    return writer.count
  }

  @inline(never)
  private mutating func lose(_ error: I2CError, at now: Instant) {
    if condition != .lost { event = .lost(.bus(error)) }
    condition = .lost
    panel.reset()
    workTime = now.advanced(by: 10_000)
  }
}
