import BluetoothHost

/// A button of the ball.
public enum ButtonName: UInt8, Equatable, Sendable {
  /// A new answer to the last question of each subscribed central.
  case shake
  /// Deletes every question and answer; held for 3 s, it also disconnects every central.
  case clear
}

/// One push button, whose contacts may bounce.
///
/// The first edge counts at once. Edges within `debounce` after it do not: at the end of that time
/// the contact's level is the state. A button that chatters for ever is at most one press each
/// `debounce`.
struct Button {
  /// How long its contacts may bounce, in milliseconds; 0 if the kernel filters bounces.
  let debounce: UInt32

  /// Whether it is down, without bounces.
  private(set) var isPressed = false
  /// The last level of the contact.
  private var contact = false
  /// Until when edges do not count.
  private(set) var settleTime: Instant?

  init(debounce: UInt32) {
    self.debounce = debounce
  }

  /// Sets the contact's state without a press.
  mutating func setContact(isClosed: Bool) {
    contact = isClosed
    isPressed = isClosed
    settleTime = nil
  }

  /// The contact has closed or opened. Returns whether the button has just gone down.
  mutating func edge(isClosed: Bool, at now: Instant) -> Bool {
    contact = isClosed
    if let settleTime, now < settleTime { return false }
    return settle(at: now)
  }

  /// Advances the time. Returns whether the button has just gone down.
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
