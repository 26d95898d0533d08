import BluetoothHost

/// What the person who holds the ball can do to it.
public enum ButtonName: UInt8, Equatable, Sendable {
  /// A new answer to the last question of everybody who listens.
  case shake
  /// Forget every question and answer; held for 3 s, also let everybody go.
  case clear
}

/// One push button, whose contacts may bounce.
///
/// The first edge counts at once, and those within `debounce` after it do not: what the contact
/// says at the end of that time is then its state. A button that chatters for ever is one press
/// each `debounce` at the most, whatever the number of edges.
struct Button {
  /// How long its contacts may bounce, in milliseconds; 0 if the kernel takes care of that.
  let debounce: UInt32

  /// Whether it is down, bounces left out.
  private(set) var isPressed = false
  /// What the contact said last.
  private var contact = false
  /// Until when its edges do not count.
  private(set) var settleTime: Instant?

  init(debounce: UInt32) {
    self.debounce = debounce
  }

  /// The contact is found in this state, which is no press.
  mutating func find(isClosed: Bool) {
    contact = isClosed
    isPressed = isClosed
    settleTime = nil
  }

  /// The contact has closed or opened. Gives whether the button has just gone down.
  mutating func edge(isClosed: Bool, at now: Instant) -> Bool {
    contact = isClosed
    if let settleTime, now < settleTime { return false }
    return settle(at: now)
  }

  /// The time is `now`. Gives whether the button has just gone down.
  @inline(__always)
  mutating func advance(to now: Instant) -> Bool {
    guard let settleTime, settleTime <= now else { return false }
    self.settleTime = nil
    return settle(at: now)
  }

  @inline(never)
  private mutating func settle(at now: Instant) -> Bool {
    guard contact != isPressed else { return false }
    isPressed = contact
    settleTime = debounce > 0 ? now.advanced(by: debounce) : nil
    return isPressed
  }
}
